%%% @doc Stands in for HyperBEAM's module of this name in the device's tests. There it is OTP 27's json module:
%%% objects are maps with binary keys, texts are binaries, null is the atom, and anything malformed raises an error.
-module(hb_json).

-export([decode/1, encode/1]).

decode(Text) ->
    {Value, Rest} = value(skip(Text)),
    <<>> = skip(Rest),
    Value.

%% @doc Terms of the same kinds as text.
encode(Map) when is_map(Map) ->
    Members = [[encode(name(Key)), $:, encode(Value)] || {Key, Value} <- maps:to_list(Map)],
    iolist_to_binary([${, lists:join($,, Members), $}]);
encode(List) when is_list(List) -> iolist_to_binary([$[, lists:join($,, [encode(Value) || Value <- List]), $]]);
encode(Number) when is_integer(Number) -> integer_to_binary(Number);
encode(Number) when is_float(Number) -> float_to_binary(Number, [short]);
encode(Atom) when Atom =:= true; Atom =:= false; Atom =:= null -> atom_to_binary(Atom);
encode(Atom) when is_atom(Atom) -> encode(atom_to_binary(Atom));
encode(Text) when is_binary(Text) -> iolist_to_binary([$", [escape(Char) || <<Char/utf8>> <= Text], $"]).

escape($") -> "\\\"";
escape($\\) -> "\\\\";
escape(Char) when Char < 32 -> io_lib:format("\\u~4.16.0b", [Char]);
escape(Char) -> <<Char/utf8>>.

name(Key) when is_atom(Key) -> atom_to_binary(Key);
name(Key) -> Key.

value(<<"true", Rest/binary>>) -> {true, Rest};
value(<<"false", Rest/binary>>) -> {false, Rest};
value(<<"null", Rest/binary>>) -> {null, Rest};
value(<<$", Rest/binary>>) -> text(Rest, <<>>);
value(<<$[, Rest/binary>>) -> elements(skip(Rest), []);
value(<<${, Rest/binary>>) -> members(skip(Rest), #{});
value(<<First, _/binary>> = Text) when First =:= $-; First >= $0, First =< $9 -> number(Text).

elements(<<$], Rest/binary>>, []) ->
    {[], Rest};
elements(Text, Values) ->
    {Value, Rest} = value(Text),
    case skip(Rest) of
        <<$,, More/binary>> -> elements(skip(More), [Value | Values]);
        <<$], More/binary>> -> {lists:reverse(Values, [Value]), More}
    end.

members(<<$}, Rest/binary>>, Map) when map_size(Map) =:= 0 ->
    {Map, Rest};
members(<<$", Text/binary>>, Map) ->
    {Key, AfterKey} = text(Text, <<>>),
    <<$:, AfterColon/binary>> = skip(AfterKey),
    {Value, Rest} = value(skip(AfterColon)),
    case skip(Rest) of
        <<$,, More/binary>> -> members(skip(More), Map#{Key => Value});
        <<$}, More/binary>> -> {Map#{Key => Value}, More}
    end.

text(<<$", Rest/binary>>, Text) -> {Text, Rest};
text(<<$\\, $n, Rest/binary>>, Text) -> text(Rest, <<Text/binary, $\n>>);
text(<<$\\, $t, Rest/binary>>, Text) -> text(Rest, <<Text/binary, $\t>>);
text(<<$\\, $u, Hex:4/binary, Rest/binary>>, Text) ->
    text(Rest, <<Text/binary, (binary_to_integer(Hex, 16))/utf8>>);
text(<<$\\, Escaped, Rest/binary>>, Text) when Escaped =:= $"; Escaped =:= $\\; Escaped =:= $/ ->
    text(Rest, <<Text/binary, Escaped>>);
text(<<Char/utf8, Rest/binary>>, Text) when Char >= 32, Char =/= $\\ -> text(Rest, <<Text/binary, Char/utf8>>).

number(Text) ->
    {match, [{0, Length} | _]} = re:run(Text, "^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?"),
    <<Number:Length/binary, Rest/binary>> = Text,
    {try binary_to_integer(Number) catch error:badarg -> binary_to_float(Number) end, Rest}.

skip(<<Blank, Rest/binary>>) when Blank =:= $\s; Blank =:= $\t; Blank =:= $\n; Blank =:= $\r -> skip(Rest);
skip(Text) -> Text.
