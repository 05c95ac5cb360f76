%%% @doc What `make bench' prints and writes: rows of measured values, each beside a floor or a peer of the same run
%%% and against a target where it has one. A row's `met' is told, never tested.
-module(kem_bench_rows).

-export([row/3, row/4, skipped/2, on/2, median/1, percentile/2, table/1, json/1]).

-type bound() :: {at_most | at_least, number()}.
-type details() :: #{
    beside => {floor | peer, Name :: binary(), Value :: number()},  % in the row's unit
    ratio => number(),   % if it is not that of the two values: a median of rounds
    target => bound()    % for the ratio if there is something beside the value, else for the value
}.
-type row() :: #{name := binary(), value := float(), unit := binary(), details := details(), driver => binary()}
    | #{name := binary(), skipped := binary(), driver => binary()}.
-export_type([row/0, details/0]).

-spec row(binary(), number(), binary()) -> row().
row(Name, Value, Unit) ->
    row(Name, Value, Unit, #{}).

-spec row(binary(), number(), binary(), details()) -> row().
row(Name, Value, Unit, Details) ->
    #{name => Name, value => float(Value), unit => Unit, details => Details}.

%% @doc A row whose value could not be measured here.
-spec skipped(binary(), iodata()) -> row().
skipped(Name, Why) ->
    #{name => Name, skipped => unicode:characters_to_binary(Why)}.

%% @doc The rows as those of a driver.
-spec on(binary(), [row()]) -> [row()].
on(Driver, Rows) ->
    [Row#{driver => Driver} || Row <- Rows].

-spec median([number(), ...]) -> number().
median(Values) ->
    percentile(Values, 0.5).

-spec percentile([number(), ...], float()) -> number().
percentile(Values, Part) ->
    lists:nth(max(1, ceil(Part * length(Values))), lists:sort(Values)).

%%% What follows from a row.

ratio(#{details := #{ratio := Ratio}}) -> Ratio;
ratio(#{value := Value, details := #{beside := {_, _, Beside}}}) when Beside > 0 -> Value / Beside;
ratio(_) -> none.

met(#{value := Value, details := #{target := {Kind, Bound}}} = Row) ->
    Held = case ratio(Row) of
        none -> Value;
        Ratio -> Ratio
    end,
    case Kind of
        at_most -> Held =< Bound;
        at_least -> Held >= Bound
    end;
met(_) ->
    none.

target(#{unit := Unit, details := #{target := {Kind, Bound}}} = Row) ->
    Sign = case Kind of
        at_most -> "<= ";
        at_least -> ">= "
    end,
    Held = case ratio(Row) of
        none -> Unit;
        _ -> "x"
    end,
    [Sign, number(Bound), " ", Held];
target(_) ->
    "".

%%% As text.

%% @doc A table of columns as wide as they have to be, with a heading for each driver; what was skipped comes last,
%% with the reasons.
-spec table([row()]) -> iodata().
table(Rows) ->
    Measured = [{maps:get(driver, Row, <<>>), cells(Row)} || #{value := _} = Row <- Rows],
    Heads = ["what", "value", "", "beside", "", "ratio", "target", "met"],
    Widths = [lists:max([string:length(lists:nth(Column, Cells)) || Cells <- [Heads | element(2, lists:unzip(Measured))]])
              || Column <- lists:seq(1, length(Heads))],
    [line(Widths, Heads), lines(Widths, none, Measured),
     [["skipped: ", Name, [[" on ", Driver] || #{driver := Driver} <- [Row]], ": ", Why, $\n]
      || #{name := Name, skipped := Why} = Row <- Rows]].

lines(_, _, []) -> [];
lines(Widths, Driver, [{Driver, Cells} | Rest]) -> [line(Widths, Cells) | lines(Widths, Driver, Rest)];
lines(Widths, _, [{Driver, _} | _] = All) -> [["== ", Driver, $\n] | lines(Widths, Driver, All)].

line(Widths, Cells) ->
    [[aligned(Column, Width, Cell) || {Column, Width, Cell} <- lists:zip3(lists:seq(1, length(Cells)), Widths, Cells)],
     $\n].

%% Numbers to the right, words to the left.
aligned(Column, Width, Cell) when Column =:= 2; Column =:= 5; Column =:= 6 -> [string:pad(Cell, Width, leading), "  "];
aligned(_, Width, Cell) -> [string:pad(Cell, Width, trailing), "  "].

cells(#{name := Name, value := Value, unit := Unit, details := Details} = Row) ->
    {BesideName, BesideValue} = case Details of
        #{beside := {_, Beside, Number}} -> {Beside, number(Number)};
        _ -> {"", ""}
    end,
    Ratio = case ratio(Row) of
        none -> "";
        Times -> [number(Times), " x"]
    end,
    Met = case met(Row) of
        none -> "";
        true -> "met";
        false -> "NOT MET"
    end,
    [Name, number(Value), Unit, BesideName, BesideValue, Ratio, target(Row), Met].

%% Three significant digits at least, no exponent.
number(Value) when is_integer(Value) -> integer_to_list(Value);
number(Value) ->
    Decimals = if
        abs(Value) < 1 -> 3;
        abs(Value) < 100 -> 2;
        abs(Value) < 1000 -> 1;
        true -> 0
    end,
    float_to_list(float(Value), [{decimals, Decimals}]).

%% @doc The rows as a JSON array of objects: name, driver, value, unit, floor or peer (name and value), ratio, target,
%% met; or name, driver and skipped.
-spec json([row()]) -> iodata().
json(Rows) ->
    ["[\n", lists:join(",\n", [["  ", hb_json:encode(named(object(Row)))] || Row <- Rows]), "\n]\n"].

object(#{skipped := _} = Row) ->
    Row;
object(#{details := Details} = Row) ->
    Beside = case Details of
        #{beside := {Kind, Other, Number}} -> #{Kind => named(#{name => Other, value => Number})};
        _ -> #{}
    end,
    Target = case target(Row) of
        "" -> #{};
        Text -> #{target => iolist_to_binary(Text)}
    end,
    Known = maps:filter(fun(_, Member) -> Member =/= none end, #{ratio => ratio(Row), met => met(Row)}),
    maps:merge(maps:merge(Beside, Target), maps:merge(Known, maps:remove(details, Row))).

named(Map) ->
    maps:from_list([{atom_to_binary(Key), Value} || {Key, Value} <- maps:to_list(Map)]).
