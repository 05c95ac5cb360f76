%%% @doc The loops that are measured, compiled, and run in a VM of their own: see kem_bench. Times are in microseconds.
-module(kem_bench_calls).

-export([warm/2, beside/3, large/2, new_kernels/1, throughput/2, heavy_rounds/1, heavy/3, devices/0, memory/2]).

-define(DOUBLE, <<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>).
-define(INPUT, <<1:32/little, 3:32/little, 5:32/little, 7:32/little>>).
-define(OUTPUT, <<2:32/little, 6:32/little, 10:32/little, 14:32/little>>).
-define(SIDE, 16).

%% @doc The warm 16-byte call and the empty submit, by turns so many times: for each round the median of the empty
%% submits, and the time of each of Calls calls. By turns because how long a sleeping thread takes to wake changes
%% from second to second, for both alike.
-spec warm(pos_integer(), pos_integer()) -> [{Empty :: float(), [float()]}].
warm(Rounds, Calls) ->
    _ = [?OUTPUT = kem_nif:execute_kernel(?DOUBLE, ?INPUT, 1) || _ <- lists:seq(1, 200)],
    [begin
        Empty = kem_nif:measure_empty_submit(Calls) / 1000,
        {Empty, times(Calls)}
    end || _ <- lists:seq(1, Rounds)].

times(0) ->
    [];
times(Left) ->
    Begin = erlang:monotonic_time(nanosecond),
    _ = kem_nif:execute_kernel(?DOUBLE, ?INPUT, 1),
    [(erlang:monotonic_time(nanosecond) - Begin) / 1000 | times(Left - 1)].

%% @doc What 16-byte calls take while so many processes make calls with so many bytes in and as many out, for so many
%% seconds after a first one in which those get their memory: median and 99th percentile.
-spec beside(non_neg_integer(), pos_integer(), pos_integer()) -> {Median :: float(), Percentile :: float()}.
beside(Callers, Bytes, Seconds) ->
    Kernel = {source, text("double.wgsl")},
    Input = binary:copy(<<1:32/little>>, Bytes div 4),
    Large = [spawn_monitor(fun() -> again(Kernel, Input) end) || _ <- lists:seq(1, Callers)],
    timer:sleep(1000),
    Times = lists:sort(small(erlang:monotonic_time() + seconds(Seconds), [])),
    [receive
        {'DOWN', Monitor, process, Caller, stopped} -> ok
    end || {Caller, Monitor} <- Large, exit(Caller, stopped)],
    {kem_bench_rows:median(Times), lists:nth(max(1, length(Times) * 99 div 100), Times)}.

again(Kernel, Input) ->
    {ok, _} = kem:run(Kernel, Input, #{timeout => 120000}),
    true = erlang:garbage_collect(),
    again(Kernel, Input).

small(End, Times) ->
    case erlang:monotonic_time() > End of
        true -> Times;
        false -> small(End, times(1) ++ Times)
    end.

%% @doc The median time of calls with so many bytes in and as many out, over so many seconds, three calls at least.
-spec large(pos_integer(), number()) -> float().
large(Bytes, Seconds) ->
    Kernel = {source, text("double.wgsl")},
    Word = <<1:32/little, 2:32/little>>,
    Input = binary:copy(Word, Bytes div 8),
    Run = fun() ->
        {ok, Output} = kem:run(Kernel, Input, #{timeout => 120000}),
        Output
    end,
    Output = Run(),
    true = byte_size(Output) =:= Bytes,
    <<2:32/little, 4:32/little>> = binary:part(Output, Bytes - 8, 8),
    true = erlang:garbage_collect(),
    kem_bench_rows:median(rounds(Run, erlang:monotonic_time() + seconds(Seconds), [])).

rounds(Run, End, Times) ->
    case length(Times) >= 3 andalso erlang:monotonic_time() > End of
        true ->
            Times;
        false ->
            Begin = erlang:monotonic_time(nanosecond),
            _ = Run(),
            Time = (erlang:monotonic_time(nanosecond) - Begin) / 1000,
            true = erlang:garbage_collect(),
            rounds(Run, End, [Time | Times])
    end.

%% @doc So many kernels of thirty lines that were not seen before, each to its first output: the whole time, and the
%% part of it that is the driver's: the stage `pipeline', and `execute', as some drivers compile when a pipeline first
%% runs.
-spec new_kernels(pos_integer()) -> [{Whole :: float(), Drivers :: number()}].
new_kernels(Count) ->
    Wgsl = text("thirty-lines.wgsl"),
    % Drivers have caches on disk: no number of a run before. Below what an f32 holds exactly.
    Salt = erlang:system_time(millisecond) div 16 rem (1 bsl 23),
    [_ | Times] = [new_kernel(Wgsl, Salt + N) || N <- lists:seq(0, Count)],
    Times.

new_kernel(Wgsl, N) ->
    Other = <<"(side * side + ", (integer_to_binary(N))/binary, ".0)">>,
    Text = binary:replace(Wgsl, <<"(side * side)">>, Other),
    true = Text =/= Wgsl,
    Params = <<?SIDE:32/little, ?SIDE:32/little, 1:32/little, 0.5:32/little-float>>,
    Input = binary:copy(<<1, 2, 3, 4>>, ?SIDE * ?SIDE),
    Begin = erlang:monotonic_time(nanosecond),
    {ok, Output, #{stages := #{pipeline := Pipeline, execute := Execute}}} =
        kem:run({source, Text}, Input, #{params => Params, dispatch => grid, report => true}),
    Whole = (erlang:monotonic_time(nanosecond) - Begin) / 1000,
    true = byte_size(Output) =:= byte_size(Input),
    {Whole, Pipeline + Execute}.

%% @doc Calls a second by so many processes at once, each with one call after the other. As long before, uncounted: in
%% its first calls each process gets memory on the device.
-spec throughput(pos_integer(), number()) -> float().
throughput(Processes, Seconds) ->
    Call = fun() -> kem_nif:execute_kernel(?DOUBLE, ?INPUT, 1) end,
    _ = calls(Call, Processes, Seconds),
    calls(Call, Processes, Seconds).

calls(Call, Processes, Seconds) ->
    Begin = erlang:monotonic_time(),
    End = Begin + seconds(Seconds),
    Callers = [spawn_monitor(fun() -> exit({calls, count(Call, End, 0)}) end) || _ <- lists:seq(1, Processes)],
    Counts = [receive
        {'DOWN', Monitor, process, Caller, {calls, Count}} -> Count
    end || {Caller, Monitor} <- Callers],
    Taken = erlang:convert_time_unit(erlang:monotonic_time() - Begin, native, microsecond),
    lists:sum(Counts) * 1.0e6 / Taken.

count(Call, End, Count) ->
    _ = Call(),
    case erlang:monotonic_time() < End of
        true -> count(Call, End, Count + 1);
        false -> Count + 1
    end.

%% @doc How many devices calls are spread over.
-spec devices() -> pos_integer().
devices() ->
    {ok, _} = kem:adapter_info(),
    {ok, #{devices := Devices}} = kem:stats(),
    length(Devices).

%% @doc How many rounds of the heavy kernel take a call so many microseconds.
-spec heavy_rounds(pos_integer()) -> pos_integer().
heavy_rounds(Microseconds) ->
    heavy_rounds(Microseconds, 8).

heavy_rounds(Microseconds, Rounds) ->
    Call = heavy_call(Rounds),
    _ = Call(),
    case kem_bench_rows:median([element(1, timer:tc(Call)) || _ <- lists:seq(1, 3)]) of
        Time when Time < Microseconds, Rounds < 1 bsl 24 -> heavy_rounds(Microseconds, 2 * Rounds);
        _ -> Rounds
    end.

%% @doc Calls a second of the heavy kernel.
-spec heavy(pos_integer(), pos_integer(), number()) -> float().
heavy(Rounds, Processes, Seconds) ->
    Call = heavy_call(Rounds),
    _ = calls(Call, Processes, Seconds / 4),
    calls(Call, Processes, Seconds).

heavy_call(Rounds) ->
    Kernel = {source, text("heavy.wgsl")},
    Options = #{params => <<0:64, Rounds:32/little, 0:32>>, output_size => 1 bsl 22, dispatch => linear},
    fun() -> {ok, <<_/binary>>} = kem:run(Kernel, ?INPUT, Options) end.

%% @doc Resident memory in KiB after so many calls, looked at so many times on the way, the first time before any.
-spec memory(pos_integer(), pos_integer()) -> [{Calls :: non_neg_integer(), KiB :: pos_integer()}].
memory(Calls, Samples) ->
    Step = max(1, Calls div Samples),
    _ = kem_nif:execute_kernel(?DOUBLE, ?INPUT, 1),
    [{0, resident()} | [begin
        ok = repeat(Step),
        io:put_chars("."),
        {Step * Sample, resident()}
    end || Sample <- lists:seq(1, Calls div Step)]].

repeat(0) ->
    ok;
repeat(Left) ->
    ?OUTPUT = kem_nif:execute_kernel(?DOUBLE, ?INPUT, 1),
    repeat(Left - 1).

resident() ->
    true = erlang:garbage_collect(),
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [KiB]} = re:run(Status, "VmRSS:\\s+(\\d+) kB", [{capture, all_but_first, binary}]),
    binary_to_integer(KiB).

text(File) ->
    {ok, Text} = file:read_file(filename:join(kem_bench:folder(), File)),
    Text.

seconds(Seconds) ->
    erlang:convert_time_unit(round(Seconds * 1000000), microsecond, native).
