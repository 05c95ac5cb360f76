%%% @doc The node's options of the device: what each is called, what it may be, and what it is for.
%%%
%%% They come out of the node message, where the operator's `config.flat' or program put them. A text there is a
%%% binary whatever it means (`<<"42">>'), so every value is coerced to its row's kind here. Rows of kind `engine' are
%%% handed to {@link kem:configure/1} as they are and checked by the engine; {@link table/0} has all others, and one
%%% row there adds an option. docs/hyperbeam.md has the table for operators, and a test holds the two together.
%%%
%%% Nothing is ignored: an option that no row has, or a value of the wrong kind, is an error of every call until it is
%%% mended, and {@link dev_kem:start/3} tells of it when the node starts.
-module(kem_options).

-export([read/1, table/0, engine/1, engine_options/0, problems/1]).

-define(LONGEST, 24 * 60 * 60 * 1000).
-define(TIB, 1 bsl 40).

-type kind() :: boolean | text | url | texts | ids | factors | {integer, integer(), integer()} | {one_of, [atom()]}.
-type options() :: #{atom() => term()}.
%% A value for every row of the table, and `engine': those of the engine's that are set.
-export_type([options/0]).

%% @doc Every option that is not the engine's own: its name, kind, default and purpose.
-spec table() -> [{atom(), kind(), Default :: term(), Purpose :: string()}].
table() ->
    [
        {kem_inline_source, boolean, false, "whether callers may send WGSL instead of an id"},
        {kem_allow_kernels, ids, all, "ids that may run; no others"},
        {kem_deny_kernels, ids, [], "ids that may not run"},
        {kem_allow_callers, texts, all, "addresses whose signed requests are served; no others"},
        {kem_deny_callers, texts, [], "addresses whose requests are refused"},
        {kem_max_jobs_per_caller, {integer, 1, ?TIB}, unlimited, "jobs that a caller may have under way"},
        {kem_relay_attempts, {integer, 1, 100}, 3, "nodes that a relayed call is tried on"},
        {kem_relay_timeout_ms, {integer, 1, ?LONGEST}, 60000, "what one of those tries may take"},
        {kem_price_call, {integer, 0, ?TIB}, 1, "price of a call"},
        {kem_price_input_mib, {integer, 0, ?TIB}, 0, "price of a MiB of input, counted from its first byte"},
        {kem_price_output_mib, {integer, 0, ?TIB}, 0, "price of a MiB of output, counted from its first byte"},
        {kem_price_kernels, factors, #{}, "ids whose price is a multiple: id=factor"},
        {kem_upload, {one_of, [off, on_request, always]}, off, "whether images are uploaded"},
        {kem_upload_endpoint, url, <<>>, "URL that an image is posted to"},
        {priv_kem_upload_token, text, <<>>, "sent with it as a bearer token"}
    ].

%% @doc The options of a node message with their defaults, coerced.
-spec read(map()) -> {ok, options()} | {error, {invalid_argument, Message :: binary()}}.
read(NodeMessage) ->
    Given = given(NodeMessage),
    Key = {?MODULE, erlang:phash2(Given)},
    case persistent_term:get(Key, undefined) of
        {Given, Options} ->
            {ok, Options};
        _ ->
            case parse(Given) of
                {Options, []} ->
                    persistent_term:put(Key, {Given, Options}),
                    {ok, Options};
                {_, Problems} ->
                    {error, {invalid_argument, iolist_to_binary(lists:join("; ", Problems))}}
            end
    end.

%% @doc What is wrong with a node message's options, a text each.
-spec problems(map()) -> [binary()].
problems(NodeMessage) ->
    {_, Problems} = parse(given(NodeMessage)),
    Problems.

%% @doc The engine's settings among the options, as {@link kem:configure/1} takes them. The node's own gateway is
%% asked for kernels where the operator names no other.
-spec engine(map()) -> #{atom() => term()}.
engine(NodeMessage) ->
    {#{engine := Set}, _} = parse(given(NodeMessage)),
    case {Set, hb_opts:get(gateway, undefined, NodeMessage)} of
        {#{gateways := _}, _} -> Set;
        {_, Gateway} when is_binary(Gateway), Gateway =/= <<>> -> Set#{gateways => Gateway};
        _ -> Set
    end.

%% @doc The names that the engine's settings have as node options: its environment variables' in small letters.
-spec engine_options() -> [binary()].
engine_options() ->
    try [string:lowercase(Variable) || Variable <- kem_nif:variables_nif()]
    catch error:{not_loaded, _} -> []
    end.

%% Only a node message's own keys: what the host has defaults for never begins so.
given(NodeMessage) ->
    maps:fold(fun(Key, Value, Given) -> add_given(name(Key), Value, Given) end, #{}, NodeMessage).

name(Key) when is_atom(Key) -> atom_to_binary(Key);
name(Key) -> Key.

add_given(<<"kem_", _/binary>> = Name, Value, Given) -> Given#{Name => Value};
add_given(<<"priv_kem_", _/binary>> = Name, Value, Given) -> Given#{Name => Value};
add_given(_, _, Given) -> Given.

parse(Given) ->
    Rows = maps:from_list([{atom_to_binary(Option), {Option, Kind}} || {Option, Kind, _, _} <- table()]),
    Engine = engine_options(),
    Defaults = maps:from_list([{Option, Default} || {Option, _, Default, _} <- table()]),
    {Read, Problems} = maps:fold(
        fun(Name, Value, {Options, Wrong}) ->
            case parse_one(Name, Value, Rows, Engine) of
                {row, Option, Parsed} -> {Options#{Option => Parsed}, Wrong};
                {engine, Setting, Parsed} ->
                    #{engine := Set} = Options,
                    {Options#{engine => Set#{Setting => Parsed}}, Wrong};
                {problem, Problem} -> {Options, [iolist_to_binary(["node option '", Name, "' ", Problem]) | Wrong]}
            end
        end,
        {Defaults#{engine => #{}}, []}, Given),
    {Read, contradictions(Read) ++ Problems}.

contradictions(#{kem_upload := Mode, kem_upload_endpoint := <<>>}) when Mode =/= off ->
    [<<"node option 'kem_upload' needs 'kem_upload_endpoint'">>];
contradictions(_) ->
    [].

parse_one(Name, Value, Rows, Engine) ->
    case Rows of
        #{Name := {Option, Kind}} ->
            case coerce(Kind, Value) of
                {ok, Parsed} -> {row, Option, Parsed};
                {error, Wanted} -> {problem, ["must be ", Wanted]}
            end;
        #{} ->
            % Without the library its settings are not known; every call says that it is not loaded.
            case Engine =:= [] orelse lists:member(Name, Engine) of
                true -> {engine, setting(Name), plain(Value)};
                false -> {problem, "is none that kem@1.0 has"}
            end
    end.

%% The option kem_gateways is the engine's setting gateways. Names come from the operator: the atoms are few.
setting(<<"priv_", Name/binary>>) -> setting(Name);
setting(<<"kem_", Setting/binary>>) -> binary_to_atom(Setting).

%% A list may come as a message with the keys 1, 2, and so on.
plain(#{<<"1">> := _} = Numbered) ->
    [maps:get(integer_to_binary(N), Numbered, <<>>) || N <- lists:seq(1, map_size(Numbered))];
plain(Value) ->
    Value.

coerce(boolean, Value) ->
    case lists:member(Value, [true, <<"true">>, <<"1">>, <<"on">>, 1]) of
        true -> {ok, true};
        false ->
            case lists:member(Value, [false, <<"false">>, <<"0">>, <<"off">>, 0]) of
                true -> {ok, false};
                false -> {error, "true or false"}
            end
    end;
coerce({integer, Least, Most}, Value) ->
    case integer(Value) of
        Number when is_integer(Number), Number >= Least, Number =< Most -> {ok, Number};
        _ -> {error, io_lib:format("a whole number from ~b to ~b", [Least, Most])}
    end;
coerce({one_of, Names}, Value) ->
    case [Name || Name <- Names, Name =:= Value orelse atom_to_binary(Name) =:= Value] of
        [Name] -> {ok, Name};
        [] -> {error, ["one of ", lists:join(", ", [atom_to_list(Name) || Name <- Names])]}
    end;
coerce(text, Value) when is_binary(Value) -> {ok, Value};
coerce(text, _) -> {error, "a text"};
coerce(url, <<>>) -> {ok, <<>>};
coerce(url, Value) ->
    case is_binary(Value) andalso uri_string:parse(Value) of
        #{scheme := Scheme, host := Host} when Host =/= <<>>, Scheme =:= <<"http">> orelse Scheme =:= <<"https">> ->
            {ok, Value};
        _ -> {error, "an http or https URL"}
    end;
coerce(texts, Value) ->
    case texts(plain(Value)) of
        invalid -> {error, "texts with commas between them"};
        Texts -> {ok, Texts}
    end;
coerce(ids, Value) ->
    Ids = texts(plain(Value)),
    case Ids =/= invalid andalso lists:all(fun is_id/1, Ids) of
        true -> {ok, Ids};
        false -> {error, "kernel ids with commas between them"}
    end;
coerce(factors, Value) ->
    Pairs = case plain(Value) of
        Text when is_binary(Text) -> [binary:split(Part, <<"=">>) || Part <- split(Text)];
        Map when is_map(Map) -> [[Id, Factor] || {Id, Factor} <- maps:to_list(Map)];
        _ -> [[]]
    end,
    Factors = [{string:trim(Id), integer(Factor)} || [Id, Factor] <- Pairs, is_binary(Id)],
    case length(Factors) =:= length(Pairs)
        andalso lists:all(fun({Id, F}) -> is_id(Id) andalso is_integer(F) andalso F >= 0 andalso F =< ?TIB end, Factors) of
        true -> {ok, maps:from_list(Factors)};
        false -> {error, "id=factor with commas between them, factors being whole numbers"}
    end.

texts(Text) when is_binary(Text) -> split(Text);
texts(List) when is_list(List) ->
    case lists:all(fun is_binary/1, List) of
        true -> List;
        false -> invalid
    end;
texts(_) -> invalid.

%% As the engine has it: 32 bytes in base64url.
is_id(Text) -> re:run(Text, "^[A-Za-z0-9_-]{43}$", [dollar_endonly]) =/= nomatch.

split(Text) ->
    [Part || Part <- [string:trim(Piece) || Piece <- binary:split(Text, <<",">>, [global])], Part =/= <<>>].

integer(Value) when is_integer(Value) -> Value;
integer(Value) when is_binary(Value) ->
    try binary_to_integer(string:trim(Value)) catch error:badarg -> not_integer end;
integer(_) -> not_integer.
