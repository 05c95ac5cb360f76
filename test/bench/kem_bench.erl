%%% @doc The numbers that the project is held to, measured from Erlang: loading the library, the first call of a
%%% fresh VM with an empty and with a filled disk cache, and the warm 16-byte call next to an empty submit.
%%%
%%% Every number is a median. Nothing here passes or fails: times are printed, not tested.
-module(kem_bench).

-export([main/0, run/0, print/1, load/1, first_call/1, warm_call/2]).

-define(DOUBLE, "<<\"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg\">>").

-type measure() :: #{
    name := binary(),        % what was measured
    microseconds := float(),
    bound => float(),        % what it should stay below, in microseconds
    ratio => float()         % to the empty submit of the same run
}.
-export_type([measure/0]).

%% @doc Measures everything and prints it.
-spec main() -> ok.
main() ->
    print(run()).

%% @doc Measures everything.
-spec run() -> [measure()].
run() ->
    [load(9) | first_call(5)] ++ warm_call(15, 1000).

%% @doc Loading the module and its library in fresh VMs, so many.
-spec load(pos_integer()) -> measure().
load(Runs) ->
    Times = [in_fresh_vm([], "{module, kem_nif} = code:ensure_loaded(kem_nif)") || _ <- lists:seq(1, Runs)],
    measure(<<"load kem_nif">>, median(Times), #{bound => 20000.0}).

%% @doc The first call of fresh VMs, loading included, so many with an empty disk cache and as many with a full one.
-spec first_call(pos_integer()) -> [measure()].
first_call(Runs) ->
    Call = "<<2, 6, 10, 14>> = kem_nif:execute_kernel(" ?DOUBLE ", <<1, 3, 5, 7>>, 1)",
    {Cold, Warm} = lists:unzip([begin
        Environment = [{"KEM_CACHE_DIR", kem_test_lib:directory("bench")}],
        {in_fresh_vm(Environment, Call), in_fresh_vm(Environment, Call)}
    end || _ <- lists:seq(1, Runs)]),
    [measure(<<"first call in a fresh VM, cold disk cache">>, median(Cold), #{bound => 500000.0}),
     measure(<<"first call in a fresh VM, warm disk cache">>, median(Warm), #{bound => 300000.0})].

%% @doc The warm 16-byte call of kem_nif:execute_kernel/3, and the empty submit, measured by turns so many times in a
%% fresh VM: medians of the rounds, each a median of Calls. The ratio is that of one round, the median of all: how
%% long a sleeping thread takes to wake changes from second to second, for both alike.
-spec warm_call(pos_integer(), pos_integer()) -> [measure()].
warm_call(Rounds, Calls) ->
    {ok, Results} = kem_test_lib:child(
        [{"KEM_CACHE_DIR", kem_test_lib:directory("bench")}],
        lists:flatten(io_lib:format("
            Input = <<1:32/little, 3:32/little, 5:32/little, 7:32/little>>,
            Call = fun() -> kem_nif:execute_kernel(" ?DOUBLE ", Input, 1) end,
            [Call() || _ <- lists:seq(1, 200)],
            [begin
                Empty = kem_nif:measure_empty_submit(~b),
                {Empty, kem_bench_loop:times(Input, ~b)}
            end || _ <- lists:seq(1, ~b)]", [Calls, Calls, Rounds]))),
    {Empties, Times} = lists:unzip(Results),
    Empty = median([Nanoseconds / 1000 || Nanoseconds <- Empties]),
    Warm = median([median(Round) / 1000 || Round <- Times]),
    Late = median([percentile(Round, 0.99) / 1000 || Round <- Times]),
    Ratio = fun(Part) -> median([percentile(Round, Part) / One || {One, Round} <- Results]) end,
    [measure(<<"empty submit">>, Empty, #{}),
     measure(<<"warm 16-byte call">>, Warm, #{bound => 2 * Empty, ratio => Ratio(0.5)}),
     measure(<<"warm 16-byte call, 99th percentile">>, Late, #{ratio => Ratio(0.99)})].

%% @doc One line a number.
-spec print([measure()]) -> ok.
print(Measures) ->
    lists:foreach(fun(Measure) -> io:put_chars([line(Measure), $\n]) end, Measures).

line(#{name := Name, microseconds := Time} = Measure) ->
    Bound = case Measure of
        #{bound := Most} -> io_lib:format("  (at most ~ts)", [duration(Most)]);
        _ -> ""
    end,
    Ratio = case Measure of
        #{ratio := Value} -> io_lib:format("  ~.2f x the empty submit", [Value]);
        _ -> ""
    end,
    io_lib:format("~-45ts ~10ts~ts~ts", [Name, duration(Time), Ratio, Bound]).

duration(Microseconds) when Microseconds >= 1000 -> io_lib:format("~.1f ms", [Microseconds / 1000]);
duration(Microseconds) -> io_lib:format("~.1f us", [Microseconds]).

measure(Name, Microseconds, Rest) ->
    Rest#{name => Name, microseconds => float(Microseconds)}.

%% Microseconds that an expression takes in a VM that has done nothing else.
in_fresh_vm(Environment, Expression) ->
    {ok, Time} = kem_test_lib:child(
        Environment,
        "Begin = erlang:monotonic_time(nanosecond), " ++ Expression ++
            ", (erlang:monotonic_time(nanosecond) - Begin) / 1000"),
    Time.

median(Values) -> percentile(Values, 0.5).

percentile(Values, Part) ->
    lists:nth(max(1, ceil(Part * length(Values))), lists:sort(Values)).
