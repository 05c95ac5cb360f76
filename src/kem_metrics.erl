%%% @doc What the device tells Prometheus, where the host runs it; elsewhere every function here does nothing.
%%%
%%% Counters and histograms are kept call by call. The engine's own counters (`kem_engine', one row for each key of
%%% {@link kem:stats/0}) are read when the metrics are collected.
-module(kem_metrics).

-export([call/3, work/3]).
%% prometheus_collector
-export([deregister_cleanup/1, collect_mf/2]).

-define(DECLARED, {?MODULE, declared}).
-define(SECONDS, [1.0e-5, 3.0e-5, 1.0e-4, 3.0e-4, 1.0e-3, 3.0e-3, 1.0e-2, 3.0e-2, 0.1, 0.3, 1, 3, 10, 30]).

%% What there is; a row adds one.
-define(METRICS, [
    {prometheus_counter, [{name, kem_calls_total}, {labels, [key, class]}, {help, "Calls, by key and error class or ok"}]},
    {prometheus_counter, [{name, kem_bytes_total}, {labels, [direction]}, {help, "Bytes of inputs and of outputs"}]},
    {prometheus_counter, [{name, kem_programs_total}, {labels, [found]},
                          {help, "Kernels that ran, by whether a cache had them compiled"}]},
    {prometheus_histogram, [{name, kem_call_seconds}, {labels, [key]}, {buckets, ?SECONDS}, {duration_unit, false},
                            {help, "What calls take in the device"}]},
    {prometheus_histogram, [{name, kem_stage_seconds}, {labels, [stage]}, {buckets, ?SECONDS}, {duration_unit, false},
                            {help, "What the stages of a job take, where no cache answers"}]}
]).

%% @doc A call of a key has ended so: ok or its error's class, after so many microseconds.
-spec call(atom(), atom(), non_neg_integer()) -> ok.
call(Key, Class, Microseconds) ->
    record(fun() ->
        prometheus_counter:inc(kem_calls_total, [Key, Class], 1),
        prometheus_histogram:observe(kem_call_seconds, [Key], Microseconds / 1.0e6)
    end).

%% @doc A kernel has run.
-spec work(non_neg_integer(), non_neg_integer(), kem:report()) -> ok.
work(InputBytes, OutputBytes, #{stages := Stages}) ->
    record(fun() ->
        prometheus_counter:inc(kem_bytes_total, [input], InputBytes),
        prometheus_counter:inc(kem_bytes_total, [output], OutputBytes),
        Compiled = maps:get(front_end, Stages, 0) + maps:get(spirv, Stages, 0) + maps:get(pipeline, Stages, 0),
        prometheus_counter:inc(kem_programs_total, [case Compiled of 0 -> cached; _ -> compiled end], 1),
        maps:foreach(
            fun(_, 0) -> ok;
               (Stage, Time) -> prometheus_histogram:observe(kem_stage_seconds, [Stage], Time / 1.0e6)
            end, Stages)
    end).

record(Function) ->
    case persistent_term:get(?DECLARED, false) orelse declare() of
        true ->
            % Metrics are nobody's reason to fail: where Prometheus has been stopped, they are declared anew.
            try _ = Function(), ok
            catch _:_ -> _ = persistent_term:erase(?DECLARED), ok
            end;
        false ->
            ok
    end.

declare() ->
    case whereis(prometheus_sup) of
        undefined ->
            false;
        _ ->
            try
                lists:foreach(fun({Kind, Specification}) -> _ = Kind:declare(Specification) end, ?METRICS),
                ok = prometheus_registry:register_collector(?MODULE),
                persistent_term:put(?DECLARED, true),
                true
            catch
                _:_ -> false
            end
    end.

%% @private
-spec deregister_cleanup(term()) -> ok.
deregister_cleanup(_Registry) ->
    _ = persistent_term:erase(?DECLARED),
    ok.

%% @private The engine is asked only if it runs: collecting metrics does not start it.
-spec collect_mf(term(), fun((term()) -> term())) -> ok.
collect_mf(_Registry, Callback) ->
    try kem_nif:running_nif() andalso kem:stats() of
        {ok, Stats} ->
            Rows = [{[{what, What}], Count} || {What, Count} <- maps:to_list(Stats), is_integer(Count)],
            _ = Callback(prometheus_model_helpers:create_mf(kem_engine, "The engine's counters", gauge, Rows)),
            ok;
        _ ->
            ok
    catch
        error:{not_loaded, _} -> ok
    end.
