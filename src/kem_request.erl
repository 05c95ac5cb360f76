%%% @doc What a caller asks for: the arguments of a call, out of the messages that carry them.
%%%
%%% An argument is looked for in the request and then in the base message, in either spelling (`kernel-id',
%%% `kernel_id'), whatever device the messages have. Where the body is a JSON object, its members come first.
-module(kem_request).

-export([arguments/3, kernel/1, source/1, input/1, encoding/1, contract/2, options/1, find/2, boolean/3]).

-type arguments() :: #{binary() => term()}.
%% By names with underscores, in small letters.
-type encoding() :: binary | list | json | base64url.
-export_type([arguments/0, encoding/0]).

%% What a call may say of itself: the argument, the option of kem:run/3, and how it is read. A row adds one.
-define(OPTIONS, [
    {<<"output_size">>, output_size, fun integer/2},
    {<<"output_size_hint">>, output_size_hint, fun integer/2},
    {<<"dispatch">>, dispatch, fun dispatch/2},
    {<<"params">>, params, fun words/2},
    {<<"immediates">>, immediates, fun words/2},
    {<<"entry_point">>, entry_point, fun text/2},
    {<<"constants">>, constants, fun constants/2},
    {<<"timeout">>, timeout, fun integer/2},
    {<<"image">>, image, fun boolean/2}
]).

%%% Finding.

%% @doc The arguments of a request and its base message.
-spec arguments(term(), term(), map()) -> arguments().
arguments(Base, Req, Opts) ->
    Message = maps:merge(named(Base, Opts), named(Req, Opts)),
    case Message of
        #{<<"content_type">> := <<"application/json", _/binary>>} -> with_json(Message);
        #{<<"kernel_id">> := _} -> Message;
        #{<<"kernel">> := _} -> Message;
        _ -> with_json(Message)
    end.

named(Message, Opts) when is_map(Message) ->
    maps:fold(fun(Key, Value, Named) -> Named#{name(Key) => here(Key, Value, Message, Opts)} end, #{}, Message);
named(_, _) ->
    #{}.

name(Key) when is_binary(Key) ->
    case binary:match(Key, <<"-">>) of
        nomatch -> string:lowercase(Key);
        _ -> binary:replace(string:lowercase(Key), <<"-">>, <<"_">>, [global])
    end;
name(Key) when is_atom(Key) -> name(atom_to_binary(Key));
name(Key) -> Key.

%% A tuple stands for a value that the host has yet to load.
here(Key, Value, Message, Opts) when is_tuple(Value) ->
    hb_ao:get_first([{{as, <<"message@1.0">>, Message}, Key}], not_found, Opts);
here(_, Value, _, _) ->
    Value.

%% The members of a JSON object come before the messages' own keys. A JSON array is the input.
with_json(#{<<"body">> := Body} = Message) when is_binary(Body), Body =/= <<>> ->
    try hb_json:decode(Body) of
        Object when is_map(Object) -> maps:merge(maps:remove(<<"body">>, Message), named(Object, #{}));
        List when is_list(List), is_map_key(<<"kernel_id">>, Message); is_list(List), is_map_key(<<"kernel">>, Message) ->
            Message#{<<"body">> => List};
        _ -> invalid("the body must be a JSON object")
    catch
        error:_ -> invalid("the body is not valid JSON, and no 'kernel-id' is given beside it")
    end;
with_json(Message) ->
    Message.

%% @doc An argument, or not_found. An empty text counts as none: that is what a header without a value is.
-spec find(binary(), arguments()) -> term().
find(Name, Arguments) ->
    case Arguments of
        #{Name := not_found} -> not_found;
        #{Name := <<>>} -> not_found;
        #{Name := Value} -> Value;
        #{} -> not_found
    end.

required(Name, Arguments) ->
    case find(Name, Arguments) of
        not_found -> invalid([$', Name, "' is missing"]);
        Value -> Value
    end.

%%% Reading.

%% @doc The kernel of a call that knows ids alone.
-spec kernel(arguments()) -> binary().
kernel(Arguments) ->
    id(required(<<"kernel_id">>, Arguments)).

%% @doc The kernel of a call: its id or, as `kernel', its text.
-spec source(arguments()) -> kem:kernel().
source(Arguments) ->
    case {find(<<"kernel_id">>, Arguments), find(<<"kernel">>, Arguments)} of
        {not_found, not_found} -> invalid("'kernel-id' is missing");
        {Id, not_found} -> id(Id);
        {not_found, Text} when is_binary(Text) -> {source, Text};
        {not_found, _} -> invalid("'kernel' must be a text");
        {_, _} -> invalid("'kernel-id' and 'kernel' are both given")
    end.

id(Id) when is_binary(Id) -> Id;
id(_) -> invalid("'kernel-id' must be a text").

%% @doc The input's bytes: `input_data', `input' or the body, bytes or a list of byte values or as `input_encoding'
%% says.
-spec input(arguments()) -> binary().
input(Arguments) ->
    {Name, Value} = first([<<"input_data">>, <<"input">>, <<"body">>], Arguments),
    Encoding = one_of(<<"input_encoding">>, find(<<"input_encoding">>, Arguments), binary),
    decode(Encoding, Name, Value).

first([Name | Rest], Arguments) ->
    case find(Name, Arguments) of
        not_found when Rest =:= [] ->
            % A body of no bytes is an input, and the engine says what it thinks of it.
            case Arguments of
                #{<<"body">> := <<>>} -> {<<"input_data">>, <<>>};
                #{} -> invalid("'input_data' is missing")
            end;
        not_found -> first(Rest, Arguments);
        Value -> {Name, Value}
    end.

decode(binary, _, Bytes) when is_binary(Bytes) -> Bytes;
decode(base64url, Name, Text) when is_binary(Text) ->
    try base64:decode(padded(<< <<(standard(Byte))>> || <<Byte>> <= Text, Byte =/= $= >>))
    catch error:_ -> invalid([$', Name, "' is not base64url"])
    end;
decode(Encoding, Name, Text) when is_binary(Text), (Encoding =:= list orelse Encoding =:= json) ->
    try hb_json:decode(Text) of
        List -> bytes(Name, List)
    catch
        error:_ -> invalid([$', Name, "' is not a JSON list"])
    end;
decode(_, Name, List) -> bytes(Name, List).

bytes(Name, List) -> pack(Name, "byte values", 8, List).

standard($-) -> $+;
standard($_) -> $/;
standard(Byte) -> Byte.

padded(Text) ->
    case byte_size(Text) rem 4 of
        2 -> <<Text/binary, "==">>;
        3 -> <<Text/binary, "=">>;
        _ -> Text
    end.

%% @doc How the output is wanted.
-spec encoding(arguments()) -> encoding().
encoding(Arguments) ->
    one_of(<<"encoding">>, find(<<"encoding">>, Arguments), binary).

one_of(_, not_found, Default) -> Default;
one_of(_, <<"binary">>, _) -> binary;
one_of(_, <<"list">>, _) -> list;
one_of(_, <<"json">>, _) -> json;
one_of(_, <<"base64url">>, _) -> base64url;
one_of(Name, _, _) -> invalid([$', spelt(Name), "' must be binary, base64url, list or json"]).

%% @doc The options of the contract's two calls.
-spec contract(execute_kernel | execute_kernel_with_params, arguments()) -> kem:options().
contract(execute_kernel, Arguments) ->
    case find(<<"output_size_hint">>, Arguments) of
        not_found -> #{};
        Hint -> #{output_size_hint => integer(<<"output_size_hint">>, Hint)}
    end;
contract(execute_kernel_with_params, Arguments) ->
    #{params => words(<<"params">>, required(<<"params">>, Arguments)), dispatch => grid, image => true}.

%% @doc Every option that the arguments have.
-spec options(arguments()) -> kem:options().
options(Arguments) ->
    maps:from_list([{Option, Read(Name, Value)} || {Name, Option, Read} <- ?OPTIONS,
                                                  Value <- [find(Name, Arguments)], Value =/= not_found]).

%% @doc A switch among the arguments.
-spec boolean(binary(), arguments(), boolean()) -> boolean().
boolean(Name, Arguments, Default) ->
    case find(Name, Arguments) of
        not_found -> Default;
        Value -> boolean(Name, Value)
    end.

%%% Kinds of values: as they come in JSON and from Lua, or as text in headers and queries.

boolean(_, Value) when Value =:= true; Value =:= <<"true">>; Value =:= <<"1">>; Value =:= <<"?1">> -> true;
boolean(_, Value) when Value =:= false; Value =:= <<"false">>; Value =:= <<"0">>; Value =:= <<"?0">> -> false;
boolean(Name, _) -> invalid([$', spelt(Name), "' must be true or false"]).

integer(_, Value) when is_integer(Value) -> Value;
integer(_, Value) when is_float(Value), Value == trunc(Value) -> trunc(Value);
integer(Name, Value) ->
    try binary_to_integer(string:trim(Value))
    catch error:_ -> invalid([$', Name, "' must be a whole number"])
    end.

text(_, Value) when is_binary(Value) -> Value;
text(Name, _) -> invalid([$', spelt(Name), "' must be a text"]).

dispatch(_, <<"linear">>) -> linear;
dispatch(_, <<"grid">>) -> grid;
dispatch(Name, Value) ->
    case integers(Name, Value) of
        [X] -> {X, 1, 1};
        [X, Y] -> {X, Y, 1};
        [X, Y, Z] -> {X, Y, Z};
        _ -> invalid("'dispatch' must be linear, grid, or one to three numbers of workgroups")
    end.

%% u32 words as a list, or as text: "640,480".
words(Name, Value) when is_binary(Value) -> pack(Name, "u32 words", 32, integers(Name, Value));
words(Name, Value) -> pack(Name, "u32 words", 32, Value).

integers(Name, Text) when is_binary(Text) ->
    [integer(Name, Part) || Part <- binary:split(Text, <<",">>, [global])];
integers(Name, Value) when is_integer(Value) ->
    integers(Name, [Value]);
integers(Name, Value) ->
    case ordered(Value) of
        List when is_list(List) -> [integer(Name, Item) || Item <- List];
        _ -> invalid([$', Name, "' must be a list of whole numbers"])
    end.

%% Names or @ids with values: a map, or as text "factor=2,offset=0.5".
constants(_, Map) when is_map(Map) ->
    maps:map(fun(_, Value) -> number(Value) end, Map);
constants(_, Text) when is_binary(Text) ->
    maps:from_list([constant(binary:split(Part, <<"=">>)) || Part <- binary:split(Text, <<",">>, [global])]);
constants(_, _) ->
    invalid("'constants' must be names with values").

constant([Name, Value]) -> {string:trim(Name), number(Value)};
constant(_) -> invalid("'constants' must be name=value with commas between them").

number(Value) when is_number(Value) -> Value;
number(Text) when is_binary(Text) ->
    Trimmed = string:trim(Text),
    try binary_to_integer(Trimmed)
    catch error:badarg ->
        try binary_to_float(Trimmed) catch error:badarg -> invalid("a constant's value must be a number") end
    end;
number(_) -> invalid("a constant's value must be a number").

pack(Name, What, Bits, Value) ->
    List = ordered(Value),
    Limit = 1 bsl Bits,
    try << <<(word(Word, Limit)):Bits/little>> || Word <- List >>
    catch error:_ -> invalid([$', Name, "' must be a list of ", What])
    end.

%% Lua's numbers may come as floats.
word(Word, Limit) when is_integer(Word), Word >= 0, Word < Limit -> Word;
word(Word, Limit) when is_float(Word), Word == trunc(Word), Word >= 0, Word < Limit -> trunc(Word).

%% A list may come as a message with the keys 1, 2, and so on.
ordered(Map) when is_map(Map), map_size(Map) > 0 ->
    try [maps:get(integer_to_binary(N), Map) || N <- lists:seq(1, map_size(Map))]
    catch error:{badkey, _} -> Map
    end;
ordered(Value) ->
    Value.

spelt(Name) -> binary:replace(Name, <<"_">>, <<"-">>, [global]).

-spec invalid(iodata()) -> no_return().
invalid(Message) ->
    throw({kem, {invalid_argument, iolist_to_binary(Message)}}).
