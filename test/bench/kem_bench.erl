%%% @doc The numbers that the project is held to, in one table: what calls cost from Erlang, each beside a floor or a
%%% peer that is measured in the same run on the same driver. kem_bench_calls has the loops, kem_bench_peers the
%%% programs beside them, kem_bench_rows the table.
%%%
%%% What changes from second to second on a busy machine changes for floor and call alike, so both are measured by
%%% turns, and a ratio is the median of the rounds' own. Nothing here passes or fails: times are printed, not tested.
%%%
%%% Needs the object code, the native library, the kernels and this folder; all else is skipped if it is not there.
-module(kem_bench).

-export([main/1, run/1, folder/0, options/1]).

-define(DOUBLE, "<<\"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg\">>").
-define(PROCESSES, 64).
%% Microseconds at least of a call that the device has something to do for.
-define(HEAVY, 5000).
%% Bytes in and out of a large call, by what the device is.
-define(LARGE_ON_CPU, 1 bsl 26).
-define(LARGE_ON_GPU, 1 bsl 28).
%% Growth of resident memory that is still none, in MiB.
-define(FLAT, 1).

-type options() :: #{
    seconds := number(),         % for each value, a round
    rounds := pos_integer(),
    memory_calls := non_neg_integer(),
    peers := boolean(),
    devices := false | string()  % KEM_DEVICE of the calls on several devices; false: as it is
}.

%% @doc Measures everything, prints it and writes it to a file, with options as `name=value'.
-spec main([string()]) -> ok.
main([File | Options]) ->
    Rows = run(options(Options)),
    ok = io:put_chars(kem_bench_rows:table(Rows)),
    ok = file:write_file(File, kem_bench_rows:json(Rows)),
    io:format("also in ~ts~n", [File]).

%% @doc Options and their defaults.
-spec options([string()]) -> options().
options(Texts) ->
    lists:foldl(
        fun(Text, Options) ->
            [Name, Value] = string:split(Text, "="),
            case Name of
                "seconds" -> Options#{seconds := list_to_number(Value)};
                "rounds" -> Options#{rounds := list_to_integer(Value)};
                "memory_calls" -> Options#{memory_calls := list_to_integer(Value)};
                "peers" -> Options#{peers := list_to_existing_atom(Value)};
                "devices" -> Options#{devices := Value}
            end
        end,
        #{seconds => 0.5, rounds => 5, memory_calls => 100000, peers => true,
          devices => os:getenv("KEM_DEVICE")},
        Texts).

list_to_number(Text) ->
    case string:to_float(Text) of
        {error, no_float} -> list_to_integer(Text);
        {Float, []} -> Float
    end.

%% @doc The directory with this module's shaders and peers, below the repository's root, where this is run.
-spec folder() -> file:filename().
folder() ->
    filename:absname("test/bench").

%% @doc Measures everything.
-spec run(options()) -> [kem_bench_rows:row()].
run(Options) ->
    [Usual | Others] = kem_bench_peers:drivers(),
    own(Usual, Options) ++
        [Row || #{peers := true} <- [Options], Driver <- [Usual | Others], Row <- beside_peers(Driver, Options)].

%%% kem beside hand-written Vulkan.

own(Environment, Options) ->
    case adapter(Environment) of
        {ok, Adapter} -> own(Environment, Adapter, Options);
        {failed, Why} -> [kem_bench_rows:skipped(<<"kem">>, Why)]
    end.

own(Everywhere, #{uuid := Uuid} = Adapter, #{rounds := Rounds} = Options) ->
    Environment = one_device(Uuid, Everywhere),
    Home = [{"KEM_CACHE_DIR", kem_test_lib:directory("bench")} | Environment],
    Measured = [measure_round(Home, Adapter, Options) || _ <- lists:seq(1, Rounds)],
    Parts = [fun warm/2, fun large/2, fun throughput/2, fun chain/2, fun new_kernel/2, fun fresh/2, fun floors/2],
    kem_bench_rows:on(driver(Adapter),
                      lists:append([Part(Adapter, Measured) || Part <- Parts]) ++
                          several(Everywhere, Adapter, Options) ++
                          [load(Rounds, Environment), cold(Rounds, Environment) | memory(Home, Options)] ++
                          native(Environment)).

%% What is measured is one device, but for several/3.
one_device(Uuid, Environment) ->
    lists:keystore("KEM_DEVICE", 1, Environment, {"KEM_DEVICE", binary_to_list(Uuid)}).

%% Everything that has a floor, once.
measure_round(Home, #{uuid := Uuid} = Adapter, #{seconds := Seconds}) ->
    Bytes = large_bytes(Adapter),
    Floors = case kem_bench_peers:floors(Home, Uuid, Bytes, Seconds) of
        {ok, Values} -> Values;
        {skipped, Why} -> #{skipped => Why}
    end,
    Call = fun(Function, Arguments) -> call(Home, Function, Arguments) end,
    #{floors => Floors,
      warm => Call(warm, [3, 1000]),
      large => Call(large, [Bytes, Seconds]),
      throughput => Call(throughput, [?PROCESSES, 4 * Seconds]),
      chain => chain_step(Home),
      new => Call(new_kernels, [10]),
      fresh => fresh_call(Home)}.

call(Environment, Function, Arguments) ->
    {ok, Value} = kem_test_lib:child(
        Environment, lists:flatten(io_lib:format("kem_bench_calls:~s(~s)", [Function, terms(Arguments)]))),
    Value.

terms(Terms) ->
    lists:join(", ", [io_lib:format("~w", [Term]) || Term <- Terms]).

adapter(Environment) ->
    case kem_test_lib:child(Environment, "kem:adapter_info()") of
        {ok, {ok, Adapter}} -> {ok, Adapter};
        {ok, {error, Reason}} -> {failed, io_lib:format("~tp", [Reason])};
        {failed, Status, Output} -> {failed, io_lib:format("~p ~ts", [Status, Output])}
    end.

large_bytes(#{type := <<"cpu">>}) -> ?LARGE_ON_CPU;
large_bytes(_) -> ?LARGE_ON_GPU.

driver(#{name := Name, driver := Driver, driver_info := Info}) ->
    <<Name/binary, ", ", Driver/binary, " ", Info/binary>>.

%% Rows of the rounds' values beside those of a floor of the same rounds.
against(Name, Unit, Scale, Values, Measured, Floor, FloorName, Target) ->
    case [Value || #{floors := #{Floor := Value}} <- Measured] of
        Floors when length(Floors) =:= length(Values) ->
            Ratio = kem_bench_rows:median([Value / Beside || {Value, Beside} <- lists:zip(Values, Floors)]),
            kem_bench_rows:row(Name, kem_bench_rows:median(Values) / Scale, Unit,
                               #{beside => {floor, FloorName, kem_bench_rows:median(Floors) / Scale}, ratio => Ratio,
                                 target => {at_most, Target}});
        _ ->
            kem_bench_rows:row(Name, kem_bench_rows:median(Values) / Scale, Unit)
    end.

warm(Adapter, Measured) ->
    Rounds = lists:append([Rounds || #{warm := Rounds} <- Measured]),
    Call = fun(Part) -> kem_bench_rows:median([kem_bench_rows:percentile(Times, Part) || {_, Times} <- Rounds]) end,
    Empty = kem_bench_rows:median([One || {One, _} <- Rounds]),
    Beside = fun(Part, Target) ->
        Ratio = kem_bench_rows:median([kem_bench_rows:percentile(Times, Part) / One || {One, Times} <- Rounds]),
        Target#{beside => {floor, <<"empty submit">>, Empty}, ratio => Ratio}
    end,
    Late = kem_bench_rows:row(<<"warm 16-byte call from Erlang, 99th percentile">>, Call(0.99), <<"us">>,
                              Beside(0.99, #{})),
    Name = <<"warm 16-byte call from Erlang">>,
    case Adapter of
        #{type := <<"cpu">>} ->
            [kem_bench_rows:row(Name, Call(0.5), <<"us">>, Beside(0.5, #{target => {at_most, 1.5}})), Late];
        _ ->
            Medians = [kem_bench_rows:median(lists:append([Times || {_, Times} <- OfRound]))
                       || #{warm := OfRound} <- Measured],
            [kem_bench_rows:row(<<"warm 16-byte call from Erlang, median">>, Call(0.5), <<"us">>,
                                #{target => {at_most, 25}}),
             against(Name, <<"us">>, 1, Medians, Measured, <<"16-byte call, polling">>, <<"hand-written, polling">>, 1.6),
             kem_bench_rows:row(Name, Call(0.5), <<"us">>, Beside(0.5, #{})),
             Late]
    end.

large(#{type := <<"cpu">>}, Measured) ->
    [against(<<"64 MiB in and out">>, <<"ms">>, 1000, [Time || #{large := Time} <- Measured], Measured,
             <<"large kernel on host memory">>, <<"kernel alone">>, 1.1)];
large(_, Measured) ->
    [against(<<"256 MiB in and out">>, <<"ms">>, 1000, [Time || #{large := Time} <- Measured], Measured,
             <<"large copies and kernel">>, <<"DMA and kernel">>, 1.5)].

throughput(Adapter, Measured) ->
    Target = case Adapter of
        #{type := <<"cpu">>} -> 40000;
        _ -> 300000
    end,
    [kem_bench_rows:row(<<"calls a second, 64 processes, 16 bytes">>,
                        kem_bench_rows:median([Rate || #{throughput := Rate} <- Measured]), <<"/s">>,
                        #{target => {at_least, Target}})].

%%% All devices beside one.

%% By turns, so that what changes on the host from second to second changes for both.
several(Everywhere, #{uuid := Uuid}, #{rounds := Rounds, seconds := Seconds, devices := Devices}) ->
    Cache = {"KEM_CACHE_DIR", kem_test_lib:directory("bench")},
    One = [Cache | one_device(Uuid, Everywhere)],
    All = [Cache | lists:keystore("KEM_DEVICE", 1, Everywhere, {"KEM_DEVICE", Devices})],
    case call(All, devices, []) of
        1 ->
            [kem_bench_rows:skipped(<<"calls on several devices">>, "there is one: ARGS=devices=0,0 opens it twice")];
        Count ->
            Heavy = call(One, heavy_rounds, [?HEAVY]),
            [beside_one(What, Count, [{call(One, Function, Arguments), call(All, Function, Arguments)}
                                      || _ <- lists:seq(1, Rounds)])
             || {What, Function, Arguments} <-
                    [{"16 bytes", throughput, [?PROCESSES, 4 * Seconds]},
                     {"some ms of kernel", heavy, [Heavy, ?PROCESSES, 4 * Seconds]}]]
    end.

beside_one(What, Count, Rates) ->
    Name = io_lib:format("calls a second, ~b processes, ~s, ~b devices", [?PROCESSES, What, Count]),
    {One, All} = lists:unzip(Rates),
    kem_bench_rows:row(iolist_to_binary(Name), kem_bench_rows:median(All), <<"/s">>,
                       #{beside => {floor, <<"one device">>, kem_bench_rows:median(One)},
                         ratio => kem_bench_rows:median([Both / Alone || {Alone, Both} <- Rates])}).

%% Microseconds of a step, if this build of kem has resident buffers and pipelines.
chain_step(Home) ->
    {ok, Nanoseconds} = kem_test_lib:child(
        Home, "case code:ensure_loaded(kem_bench_chain) of {module, Chain} -> Chain:run(); _ -> not_there end"),
    case Nanoseconds of
        not_there -> not_there;
        _ -> Nanoseconds / 1000
    end.

chain(Adapter, Measured) ->
    Name = <<"step of a chain of 1,000 on resident buffers">>,
    case [Time || #{chain := Time} <- Measured, is_number(Time)] of
        [] ->
            [kem_bench_rows:skipped(Name, "not measured: this build has no kem:pipeline/2")];
        Times ->
            Beside = against(Name, <<"us">>, 1, Times, Measured, <<"step of a chain">>, <<"one command buffer">>, 1.5),
            case Adapter of
                #{type := <<"cpu">>} -> [Beside];
                _ -> [kem_bench_rows:row(<<Name/binary, ", median">>, kem_bench_rows:median(Times), <<"us">>,
                                         #{target => {at_most, 3}}), Beside]
            end
    end.

new_kernel(_, Measured) ->
    All = lists:append([Times || #{new := Times} <- Measured]),
    [kem_bench_rows:row(<<"new kernel of 30 lines to its first result, less the driver's part">>,
                        kem_bench_rows:median([Whole - Drivers || {Whole, Drivers} <- All]) / 1000, <<"ms">>,
                        #{target => {at_most, 3}}),
     kem_bench_rows:row(<<"the same with the driver's part">>,
                        kem_bench_rows:median([Whole || {Whole, _} <- All]) / 1000, <<"ms">>)].

%% The first call of a fresh VM, in which nothing of kem is loaded yet, with everything in the disk cache; and the life
%% of the whole process.
fresh_call(Home) ->
    Begin = erlang:monotonic_time(),
    Time = in_fresh_vm(Home, first_call()),
    {Time, erlang:convert_time_unit(erlang:monotonic_time() - Begin, native, microsecond)}.

first_call() ->
    "<<2, 6, 10, 14>> = kem_nif:execute_kernel(" ?DOUBLE ", <<1, 3, 5, 7>>, 1)".

fresh(_, Measured) ->
    Process = kem_bench_rows:row(<<"a VM's whole life for one call">>,
                                 kem_bench_rows:median([Life || #{fresh := {_, Life}} <- Measured]) / 1000, <<"ms">>),
    First = [Time || #{fresh := {Time, _}} <- Measured],
    Whole = kem_bench_rows:row(<<"fresh VM to first result, warm caches">>, kem_bench_rows:median(First) / 1000,
                               <<"ms">>),
    Name = <<"fresh VM to first result, less the driver's start">>,
    case [Time - Start || #{fresh := {Time, _}, floors := #{<<"driver's start">> := Start}} <- Measured] of
        [] -> [kem_bench_rows:skipped(Name, "the floors are not there"), Whole, Process];
        Rest -> [kem_bench_rows:row(Name, kem_bench_rows:median(Rest) / 1000, <<"ms">>, #{target => {at_most, 150}}),
                 Whole, Process]
    end.

%% The floors by themselves.
floors(_, [#{floors := #{skipped := Why}} | _]) ->
    [kem_bench_rows:skipped(<<"floors">>, Why)];
floors(_, [#{floors := First} | _] = Measured) ->
    [kem_bench_rows:row(<<"floor: ", Name/binary>>,
                        kem_bench_rows:median([Value || #{floors := #{Name := Value}} <- Measured]), <<"us">>)
     || Name <- lists:sort(maps:keys(First))].

%%% Fresh VMs.

load(Runs, Environment) ->
    Times = [in_fresh_vm(Environment, "{module, kem_nif} = code:ensure_loaded(kem_nif)") || _ <- lists:seq(1, Runs)],
    kem_bench_rows:row(<<"loading kem_nif">>, kem_bench_rows:median(Times) / 1000, <<"ms">>,
                       #{target => {at_most, 20}}).

cold(Runs, Environment) ->
    Times = [in_fresh_vm([{"KEM_CACHE_DIR", kem_test_lib:directory("bench")} | Environment], first_call())
             || _ <- lists:seq(1, Runs)],
    kem_bench_rows:row(<<"fresh VM to first result, empty caches">>, kem_bench_rows:median(Times) / 1000, <<"ms">>,
                       #{target => {at_most, 500}}).

%% Microseconds that an expression takes in a VM that has done nothing else.
in_fresh_vm(Environment, Expression) ->
    {ok, Time} = kem_test_lib:child(
        Environment,
        "Begin = erlang:monotonic_time(nanosecond), " ++ Expression ++
            ", (erlang:monotonic_time(nanosecond) - Begin) / 1000"),
    Time.

%%% Memory.

%% Growth after the first fifth, in which pools and heaps find their sizes.
memory(_, #{memory_calls := 0}) ->
    [];
memory(Home, #{memory_calls := Calls}) ->
    [_, {Begin, Before} | _] = Samples = call(Home, memory, [Calls, 5]),
    {End, After} = lists:last(Samples),
    [kem_bench_rows:row(iolist_to_binary(io_lib:format("growth of memory from call ~b to ~b", [Begin, End])),
                        (After - Before) / 1024, <<"MiB">>, #{target => {at_most, ?FLAT}}),
     kem_bench_rows:row(<<"resident memory then">>, After / 1024, <<"MiB">>)].

%%% The same without Erlang.

native(Environment) ->
    case kem_bench_peers:program_rows(os:getenv("KEM", "build/kem"), ["bench", "--json"], Environment) of
        {ok, Rows} -> [native_row(Row) || Row <- Rows];
        {skipped, Why} -> [kem_bench_rows:skipped(<<"kem bench">>, Why)]
    end.

native_row(#{<<"name">> := Name, <<"value">> := Value, <<"unit">> := Unit} = Row) ->
    Details = case Row of
        #{<<"beside">> := #{<<"name">> := Other, <<"value">> := Beside}} -> #{beside => {floor, Other, Beside}};
        _ -> #{}
    end,
    kem_bench_rows:row(<<"without Erlang: ", Name/binary>>, Value, Unit, Details).

%%% kem beside its peers.

beside_peers(Environment, Options) ->
    case adapter(Environment) of
        {ok, Adapter} -> beside_peers(Environment, Adapter, Options);
        {failed, Why} -> [kem_bench_rows:skipped(<<"peers">>, Why)]
    end.

beside_peers(Everywhere, #{uuid := Uuid} = Adapter, #{seconds := Seconds}) ->
    Environment = one_device(Uuid, Everywhere),
    Bytes = large_bytes(Adapter),
    Home = [{"KEM_CACHE_DIR", kem_test_lib:directory("bench")} | Environment],
    Warm = lists:append([Times || {_, Times} <- call(Home, warm, [3, 1000])]),
    Own = #{small => kem_bench_rows:median(Warm),
            large => call(Home, large, [Bytes, Seconds]),
            new => kem_bench_rows:median([Whole || {Whole, _} <- call(Home, new_kernels, [10])])},
    Rows = [case Peer of
        {ok, {Name, _, _} = Found} ->
            peer_rows(Name, Own, kem_bench_peers:measure(Found, Environment, {Bytes, Seconds}));
        {skipped, Name, Why} ->
            [kem_bench_rows:skipped(Name, Why)]
    end || Peer <- kem_bench_peers:peers()],
    kem_bench_rows:on(driver(Adapter), lists:append(Rows)).

peer_rows(Name, _, {skipped, Why}) ->
    [kem_bench_rows:skipped(Name, Why)];
peer_rows(Name, Own, {ok, Values}) ->
    Each = <<Name/binary, ", a new device each">>,
    Pairs = [{<<"16-byte call">>, small, 1, <<"us">>, <<"16-byte call">>, Name},
             {<<"16-byte call">>, small, 1, <<"us">>, <<"16-byte call, new device">>, Each},
             {<<"large call">>, large, 1000, <<"ms">>, <<"large call">>, Name},
             {<<"new kernel of 30 lines to its first result">>, new, 1000, <<"ms">>, <<"new kernel">>, Name}],
    [kem_bench_rows:row(What, maps:get(Key, Own) / Scale, Unit,
                        #{beside => {peer, Peer, maps:get(PeerKey, Values) / Scale}, target => {at_most, 1}})
     || {What, Key, Scale, Unit, PeerKey, Peer} <- Pairs, maps:is_key(PeerKey, Values)].
