%%% @doc The engine's configuration: where each setting's value comes from.
%%%
%%% A setting has two names: that of an environment variable, `KEM_GATEWAYS', and that of a key in the environment
%%% of application `kem' and in {@link kem:configure/1}, the same in small letters without the prefix: `gateways'.
%%% The first of these that has a value wins:
%%%
%%% <ol>
%%%   <li>the environment variable;</li>
%%%   <li>the map given to {@link kem:configure/1} (the device passes its node's options `kem_gateways' and so on);</li>
%%%   <li>the application environment, `{kem, [{gateways, ["https://arweave.net"]}]}' in sys.config;</li>
%%%   <li>the default: for `kernel_store' the directory `kernels' in or beside the library's `priv', or in `native/kem'
%%%       beside it, for `cache_dir' `$XDG_CACHE_HOME/kem' or `$HOME/.cache/kem', otherwise the library's.</li>
%%% </ol>
%%%
%%% Values of keys are texts (binaries, strings, atoms), integers, booleans, and lists of texts where the variable
%%% takes a list separated by commas. A key that does not exist or a value out of range is an error of every call
%%% until it is mended; nothing is ignored. The engine reads its configuration once, at the first call.
-module(kem_config).

-export([start/1, value/2]).

%% @doc Starts the engine with the given settings on top of the application's environment.
-spec start(#{atom() => term()}) -> ok | already_running | {error, kem:reason()}.
start(Settings) when is_map(Settings) ->
    _ = application:load(kem),
    try
        Application = maps:without([included_applications], maps:from_list(application:get_all_env(kem))),
        Keys = variables(maps:merge(Application, Settings)),
        kem_nif:configure_nif(maps:merge(Keys, environment()), default_store())
    catch
        throw:{invalid, Message} -> {error, {invalid_argument, unicode:characters_to_binary(Message)}}
    end;
start(_) ->
    {error, {invalid_argument, <<"the settings must be a map">>}}.

%% @doc The value of one setting beside those given to {@link kem:configure/1}: the text that the engine gets, or
%% undefined if it keeps its default.
-spec value(atom(), #{atom() => term()}) -> binary() | undefined.
value(Key, Settings) ->
    case {os:getenv(binary_to_list(variable(Key))), Settings, application:get_env(kem, Key)} of
        {Text, _, _} when Text =/= false -> unicode:characters_to_binary(Text);
        {_, #{Key := Value}, _} -> text(Key, Value);
        {_, _, {ok, Value}} -> text(Key, Value);
        _ -> undefined
    end.

environment() ->
    Names = [<<"HOME">>, <<"XDG_CACHE_HOME">> | kem_nif:variables_nif()],
    Values = [{Name, os:getenv(binary_to_list(Name))} || Name <- Names],
    maps:from_list([{Name, unicode:characters_to_binary(Value)} || {Name, Value} <- Values, Value =/= false]).

variables(Settings) ->
    maps:from_list([{variable(Key), text(Key, Value)} || {Key, Value} <- maps:to_list(Settings)]).

variable(Key) when is_atom(Key) ->
    unicode:characters_to_binary(["KEM_", string:uppercase(atom_to_list(Key))]);
variable(Key) ->
    throw({invalid, io_lib:format("the name of a setting must be an atom, got ~0P", [Key, 10])}).

text(_, true) -> <<"1">>;
text(_, false) -> <<"0">>;
text(_, Value) when is_binary(Value) -> Value;
text(_, Value) when is_atom(Value) -> atom_to_binary(Value);
text(_, Value) when is_integer(Value) -> integer_to_binary(Value);
text(Key, [First | _] = Values) when is_list(First); is_binary(First) -> characters(Key, lists:join($,, Values));
text(Key, Value) -> characters(Key, Value).

characters(Key, Value) ->
    try unicode:characters_to_binary(Value) of
        Text when is_binary(Text) -> Text;
        _ -> invalid(Key, Value)
    catch
        error:_ -> invalid(Key, Value)
    end.

-spec invalid(atom(), term()) -> no_return().
invalid(Key, Value) ->
    throw({invalid, io_lib:format("setting '~ts' must be a text, a number, a boolean or a list of texts, got ~0tP",
                                  [Key, Value, 10])}).

%% The `..' is left to the operating system: `priv' may be a symbolic link.
default_store() ->
    Priv = filename:dirname(kem_nif:library()),
    Stores = [filename:join([Priv | Rest]) || Rest <- [["kernels"], ["..", "kernels"], ["..", "native/kem/kernels"]]],
    case [Store || Store <- Stores, filelib:is_regular(filename:join(Store, "index.json"))] of
        [Store | _] -> Store;
        [] -> ""
    end.
