%%% @doc What the device tells Prometheus, where the host runs it; elsewhere every function here does nothing.
%%%
%%% Counters and histograms are kept call by call. What the engine counts itself ({@link kem:stats/0}) is read when the
%%% metrics are collected.
-module(kem_metrics).

-export([call/3, work/3, engine/1]).
%% prometheus_collector
-export([deregister_cleanup/1, collect_mf/2]).

-define(DECLARED, {?MODULE, declared}).
-define(SECONDS, [1.0e-5, 3.0e-5, 1.0e-4, 3.0e-4, 1.0e-3, 3.0e-3, 1.0e-2, 3.0e-2, 0.1, 0.3, 1, 3, 10, 30]).

%% What is kept call by call; a row adds one.
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

%% What the engine counts: the metric's name and type, what it is, and each key of kem:stats/0 with its labels.
-define(ENGINE, [
    {kem_jobs_total, counter, "Jobs that have ended", [{jobs_done, [{result, ok}]}, {jobs_failed, [{result, error}]}]},
    {kem_queue_depth, gauge, "Jobs that wait or run", [{queued, []}]},
    {kem_cached, gauge, "Kernels that are kept compiled",
     [{cached_programs, [{what, programs}]}, {cached_pipelines, [{what, pipelines}]}]},
    {kem_held_bytes, gauge, "Input and output of the jobs that wait or run; resident buffers",
     [{in_flight_bytes, [{what, in_flight}]}, {resident_bytes, [{what, resident}]}]},
    {kem_device_memory_bytes, gauge,
     "Device memory: allocated by the engine; used by the process and its budget, where the driver tells",
     [{device_bytes, [{what, allocated}]}, {device_used_bytes, [{what, used}]}, {device_budget_bytes, [{what, budget}]}]}
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
            lists:foreach(
                fun({Name, Type, Help, Values}) ->
                    Callback(prometheus_model_helpers:create_mf(Name, Help, Type, Values))
                end, engine(Stats));
        _ ->
            ok
    catch
        error:{not_loaded, _} -> ok
    end.

%% @private What the engine's counters are as metrics; a metric none of whose counters is there is left out.
-spec engine(#{atom() => non_neg_integer() | [map()]}) ->
    [{atom(), counter | gauge, string(), [{[{atom(), atom()}], non_neg_integer()}, ...]}].
engine(Stats) ->
    [{Name, Type, Help, Values} ||
        {Name, Type, Help, Rows} <- ?ENGINE,
        Values <- [[{Labels, map_get(Key, Stats)} || {Key, Labels} <- Rows, is_map_key(Key, Stats)]],
        Values =/= []].
