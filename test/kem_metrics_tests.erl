%%% @doc What Prometheus is told of calls, jobs and the engine, with stand-ins for its modules.
-module(kem_metrics_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [kernel/1, flush/0]).

metrics_test_() ->
    {setup, fun kem_test_lib:start/0, kem_test_lib:patient([
        fun nothing_without_prometheus/0, fun calls/0, fun compiled/0, fun stopped/0, fun engine/0
    ])}.

-define(DEVICE, #{<<"device">> => <<"kem@1.0">>}).

run(Kernel) ->
    dev_kem:run(?DEVICE, #{<<"kernel-id">> => Kernel, <<"body">> => <<1, 3, 5, 7>>, <<"output-size">> => 8}, #{}).

%% This process as Prometheus: everything that it is told while Function runs.
told(Function) ->
    true = register(prometheus_sup, self()),
    try
        _ = Function(),
        flush()
    after
        true = unregister(prometheus_sup),
        kem_metrics:deregister_cleanup(default)
    end.

nothing_without_prometheus() ->
    ?assertMatch({ok, _}, run(kernel(double))),
    ?assertEqual([], flush()).

%% Every metric is declared once, before the first value; then calls by key and class, bytes, stages and caches.
calls() ->
    {ok, _} = run(kernel(double)),
    Told = told(fun() ->
        {ok, _} = run(kernel(double)),
        {ok, _} = run(kernel(double)),
        {error, _} = run(kernel(nowhere)),
        {error, _} = dev_kem:compile(?DEVICE, #{<<"kernel-id">> => kernel(syntax_error)}, #{})
    end),
    Declared = [Name || {declared, _, Name} <- Told],
    ?assertEqual([kem_bytes_total, kem_call_seconds, kem_calls_total, kem_programs_total, kem_stage_seconds],
                 lists:sort(Declared)),
    ?assertEqual([{collector, kem_metrics}], [Row || {collector, _} = Row <- Told]),
    Counted = [{Name, Labels, Value} || {counted, Name, Labels, Value} <- Told],
    ?assertEqual([{[run, ok], 1}, {[run, ok], 1}, {[run, kernel_not_found], 1}, {[compile, invalid_kernel], 1}],
                 [{Labels, Value} || {kem_calls_total, Labels, Value} <- Counted]),
    ?assertEqual([{[input], 4}, {[output], 8}, {[input], 4}, {[output], 8}],
                 [{Labels, Value} || {kem_bytes_total, Labels, Value} <- Counted]),
    ?assertEqual([[cached], [cached]], [Labels || {kem_programs_total, Labels, 1} <- Counted]),
    Observed = [{Name, Labels} || {observed, Name, Labels, Value} <- Told, is_float(Value), Value >= 0],
    ?assertEqual([[run], [run], [run], [compile]], [Labels || {kem_call_seconds, Labels} <- Observed]),
    ?assert(lists:member({kem_stage_seconds, [execute]}, Observed)).

%% A kernel that nobody has run is compiled, which takes time of its stages.
compiled() ->
    Source = iolist_to_binary(["@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
                               "@compute @workgroup_size(1) fn main() { b[0] = ",
                               integer_to_list(erlang:unique_integer([positive])), "u; }"]),
    Call = #{<<"kernel">> => Source, <<"input">> => <<0:32>>},
    Told = told(fun() -> {ok, _} = dev_kem:run(?DEVICE, Call, #{kem_inline_source => true}) end),
    ?assertEqual([[compiled]], [Labels || {counted, kem_programs_total, Labels, 1} <- Told]),
    ?assertMatch([[front_end], [pipeline], [spirv]],
                 lists:sort([[Stage] || {observed, kem_stage_seconds, [Stage], _} <- Told,
                                        lists:member(Stage, [front_end, spirv, pipeline])])).

%% Where Prometheus has gone, calls go on; when it is there again, the metrics are declared anew.
stopped() ->
    ?assertMatch([_ | _], told(fun() -> run(kernel(double)) end)),
    ?assertMatch({ok, _}, run(kernel(double))),
    ?assertMatch([_ | _], [Row || {declared, _, _} = Row <- told(fun() -> run(kernel(double)) end)]).

%% Whatever the engine counts is a metric.
engine() ->
    Self = self(),
    ok = kem_metrics:collect_mf(default, fun(Metric) -> Self ! Metric end),
    Collected = flush(),
    Value = fun(Name, Labels) ->
        {Name, _, _, Values} = lists:keyfind(Name, 1, Collected),
        proplists:get_value(Labels, Values)
    end,
    {ok, Stats} = kem:stats(),
    ?assertEqual(map_size(maps:remove(devices, Stats)), lists:sum([length(Values) || {_, _, _, Values} <- Collected])),
    ?assertEqual(0, Value(kem_queue_depth, [])),
    ?assert(Value(kem_jobs_total, [{result, ok}]) > 0),
    ?assert(Value(kem_cached, [{what, pipelines}]) > 0),
    ?assert(Value(kem_device_memory_bytes, [{what, allocated}]) > 0),
    {ok, Buffer} = kem:buffer(1048576),
    ?assert(maps:get(device_bytes, element(2, kem:stats())) >= maps:get(device_bytes, Stats) + 1048576),
    ?assertEqual(1048576, kem:size(Buffer)),
    Told = #{queued => 7, device_used_bytes => 3, device_budget_bytes => 9},
    ?assertMatch([{kem_queue_depth, gauge, _, [{[], 7}]},
                  {kem_device_memory_bytes, gauge, _, [{[{what, used}], 3}, {[{what, budget}], 9}]}],
                 kem_metrics:engine(Told)).
