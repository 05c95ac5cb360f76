%%% @doc The device `kem@1.0': WGSL kernels from Arweave, run on this node's GPU.
%%%
%%% Keys: `info', `execute_kernel', `execute_kernel_with_params' and `get_adapter_info', each with a dash in place
%%% of every underscore as well. The two that run a kernel take their arguments in either of two forms:
%%%
%%% <ul>
%%%   <li>a JSON object as the body: `kernel_id' (a TXID), `input_data' (an array of byte values),
%%%       `output_size_hint' (1) or, with params, `params' (an array of u32 words);</li>
%%%   <li>the input as the body, byte for byte, and the other arguments as headers or query keys: `kernel-id',
%%%       `output-size-hint', `params' (numbers with commas between them). A body is taken so if it comes with a
%%%       kernel id and its content type is not JSON.</li>
%%% </ul>
%%%
%%% Every argument is looked up in the request, then in the base message, under both spellings. The answer's body is
%%% the output's bytes, of type `image/png' where `execute_kernel_with_params' was given an image and
%%% `application/octet-stream' otherwise. With `encoding' being `list' it is a list of byte values, as Lua may like
%%% it better.
%%%
%%% A failure has a status, a text as its body and the failure's class as `error-class'. What may go well at another
%%% time (502, 503, 504) is a `failure', anything else an `error'.
%%%
%%% The node's options `kem_gateways', `kem_kernel_store' and so on configure the engine: see {@link kem_config}.
-module(dev_kem).

-export([info/1, info/3, execute_kernel/3, execute_kernel_with_params/3, get_adapter_info/3]).

-define(event(Event, Opts), hb_event:log(kem, Event, ?MODULE, ?FUNCTION_NAME, ?LINE, Opts)).

-type message() :: #{binary() | atom() => term()}.
-type response() :: {ok | error | failure, message()}.

%% @doc The keys that the device answers.
-spec info(term()) -> #{exports := [binary()]}.
info(_) ->
    #{
        exports => [
            <<"info">>,
            <<"execute_kernel">>, <<"execute-kernel">>,
            <<"execute_kernel_with_params">>, <<"execute-kernel-with-params">>,
            <<"get_adapter_info">>, <<"get-adapter-info">>
        ]
    }.

%% @doc What the device is and which paths it has.
-spec info(message(), message(), map()) -> response().
info(_Base, _Req, Opts) ->
    Body = #{
        <<"wgsl_extensions">> => extensions(Opts),
        <<"description">> => <<"Kernel Execution Machine: runs WGSL compute kernels stored on Arweave">>,
        <<"version">> => <<"1.0">>,
        <<"paths">> => #{
            <<"info">> => <<"This description">>,
            <<"execute_kernel">> => <<"Run a kernel over the input's bytes">>,
            <<"execute_kernel_with_params">> => <<"Run a kernel over an image or a grid, with params">>,
            <<"get_adapter_info">> => <<"The GPU that kernels run on">>
        }
    },
    {ok, #{<<"status">> => 200, <<"body">> => Body}}.

%% Each WGSL extension's name and what can be said of it: available, no_device, switched_off, unsupported. None where
%% the engine cannot start: what the device is can be told without it.
extensions(Opts) ->
    try
        configure(Opts),
        kem:extensions()
    of
        {ok, Extensions} -> maps:map(fun(_, #{status := Status}) -> atom_to_binary(Status) end, Extensions);
        {error, _} -> #{}
    catch
        throw:{kem, _} -> #{};
        error:{not_loaded, _} -> #{}
    end.

%% @doc Runs a kernel over bytes; the output has `output_size_hint' times as many.
-spec execute_kernel(message(), message(), map()) -> response().
execute_kernel(Base, Req, Opts) ->
    respond(execute_kernel, Opts, fun() ->
        Arguments = arguments(Base, Req, Opts),
        Hint = integer(<<"output_size_hint">>, argument(<<"output_size_hint">>, Arguments, 1)),
        Options = #{output_size_hint => Hint},
        answer(run(Arguments, Options), <<"application/octet-stream">>, Arguments)
    end).

%% @doc Runs a kernel over a grid whose width and height are the first two params. An image is decoded before and
%% comes back as PNG.
-spec execute_kernel_with_params(message(), message(), map()) -> response().
execute_kernel_with_params(Base, Req, Opts) ->
    respond(execute_kernel_with_params, Opts, fun() ->
        Arguments = arguments(Base, Req, Opts),
        Params = params(argument(<<"params">>, Arguments)),
        Output = run(Arguments, #{params => Params, dispatch => grid, image => true}),
        answer(Output, content_type(Output), Arguments)
    end).

%% @doc The GPU as JSON: name, vendor, device, driver, backend, driver_info.
-spec get_adapter_info(message(), message(), map()) -> response().
get_adapter_info(_Base, _Req, Opts) ->
    respond(get_adapter_info, Opts, fun() ->
        {ok, #{<<"status">> => 200, <<"content-type">> => <<"application/json">>, <<"body">> => kem_nif:adapter_info()}}
    end).

%%% Running and answering.

run(Arguments, Options) ->
    Kernel = argument(<<"kernel_id">>, Arguments),
    case kem:run(Kernel, input(Arguments), Options) of
        {ok, Output} -> Output;
        {error, Reason} -> throw({kem, Reason})
    end.

answer(Output, ContentType, Arguments) ->
    case argument(<<"encoding">>, Arguments, <<"binary">>) of
        <<"binary">> ->
            {ok, #{<<"status">> => 200, <<"content-type">> => ContentType, <<"body">> => Output}};
        <<"list">> ->
            {ok, #{<<"status">> => 200, <<"body">> => binary_to_list(Output)}};
        _ ->
            invalid(<<"'encoding' must be binary or list">>)
    end.

content_type(<<16#89, "PNG\r\n", 16#1A, "\n", _/binary>>) -> <<"image/png">>;
content_type(_) -> <<"application/octet-stream">>.

%% The one place where failures become responses: nothing but binaries and an integer may be in one.
respond(Key, Opts, Function) ->
    try
        configure(Opts),
        Response = Function(),
        _ = ?event({done, Key}, Opts),
        Response
    catch
        throw:{kem, Reason} -> refuse(Key, Reason, Opts);
        error:{not_loaded, _} = Reason -> refuse(Key, Reason, Opts);
        error:{Class, Message} when is_atom(Class), is_binary(Message) -> refuse(Key, {Class, Message}, Opts);
        Kind:Reason:Stack ->
            _ = ?event({crashed, Key, {Kind, Reason, Stack}}, Opts),
            refuse(Key, {internal, <<"the device failed; the node's log says more">>}, Opts)
    end.

refuse(Key, Reason, Opts) ->
    _ = ?event({refused, Key, Reason}, Opts),
    Status = kem:http_status(Reason),
    {Class, Message} = class_and_message(Reason),
    Response = #{
        <<"status">> => Status,
        <<"content-type">> => <<"text/plain; charset=utf-8">>,
        <<"error-class">> => atom_to_binary(Class),
        <<"body">> => Message
    },
    case Status of
        503 -> {failure, Response#{<<"retry-after">> => <<"1">>}};
        _ when Status =:= 502; Status =:= 504 -> {failure, Response};
        _ -> {error, Response}
    end.

class_and_message(busy) -> {busy, <<"the node is busy, try again later">>};
class_and_message({Class, Message}) -> {Class, Message}.

-spec invalid(iodata()) -> no_return().
invalid(Message) ->
    throw({kem, {invalid_argument, iolist_to_binary(Message)}}).

%% The first call starts the engine with the node's options over the application's environment.
configure(Opts) ->
    case kem_nif:running_nif() of
        true ->
            ok;
        false ->
            case kem:configure(node_options(Opts)) of
                {error, {_, _} = Reason} -> throw({kem, Reason});
                _ -> ok
            end
    end.

node_options(Opts) ->
    Options = [{setting(Name), hb_opts:get(option(Name), undefined, Opts)} || Name <- kem_nif:variables_nif()],
    maps:from_list([{Setting, Value} || {Setting, Value} <- Options, Value =/= undefined]).

%% KEM_GATEWAYS is the node's kem_gateways and the application's gateways.
option(Variable) -> binary_to_atom(string:lowercase(Variable)).

setting(Variable) ->
    <<"kem_", Setting/binary>> = string:lowercase(Variable),
    binary_to_atom(Setting).

%%% Arguments: a function that finds one by its name with underscores.

arguments(Base, Req, Opts) ->
    Find = fun(Name) -> find(Name, Base, Req, Opts) end,
    Body = Find(<<"body">>),
    case is_json(Find(<<"content_type">>), Find(<<"kernel_id">>)) of
        true ->
            Object = decode(Body),
            fun(Name) -> maps:get(Name, Object, Find(Name)) end;
        false ->
            fun(<<"input_data">>) -> raw_input(Find(<<"input_data">>), Body); (Name) -> Find(Name) end
    end.

is_json(<<"application/json", _/binary>>, _) -> true;
is_json(_, KernelId) -> KernelId =:= not_found.

raw_input(not_found, Body) -> Body;
raw_input(Input, _) -> Input.

%% A key of the request or else the base message, with underscores or dashes, found past their own devices.
find(Name, Base, Req, Opts) ->
    Dashed = binary:replace(Name, <<"_">>, <<"-">>, [global]),
    Messages = [{as, <<"message@1.0">>, Message} || Message <- [Req, Base]],
    hb_ao:get_first([{Message, Key} || Message <- Messages, Key <- lists:usort([Dashed, Name])], not_found, Opts).

decode(Body) when is_binary(Body) ->
    try hb_json:decode(Body) of
        Object when is_map(Object) -> Object;
        _ -> invalid(<<"the body must be a JSON object">>)
    catch
        error:_ -> invalid(<<"the body is not valid JSON, and no 'kernel-id' is given beside it">>)
    end;
decode(_) ->
    invalid(<<"there is no body and no 'kernel-id'">>).

argument(Name, Arguments) ->
    case argument(Name, Arguments, not_found) of
        not_found -> invalid([$', Name, "' is missing"]);
        Value -> Value
    end.

argument(Name, Arguments, Default) ->
    case Arguments(Name) of
        not_found -> Default;
        Value -> Value
    end.

input(Arguments) ->
    case argument(<<"input_data">>, Arguments) of
        Bytes when is_binary(Bytes) -> Bytes;
        List -> words(<<"input_data">>, <<"byte values">>, 8, List)
    end.

%% Words as a list, or as text: "640,480".
params(Text) when is_binary(Text) ->
    params([integer(<<"params">>, string:trim(Part)) || Part <- binary:split(Text, <<",">>, [global])]);
params(Words) ->
    words(<<"params">>, <<"u32 words">>, 32, Words).

words(Name, What, Bits, List) ->
    InRange = fun(Word) -> is_integer(Word) andalso Word >= 0 andalso Word < 1 bsl Bits end,
    Valid = try lists:all(InRange, List) catch error:_ -> false end,
    Valid orelse invalid([$', Name, "' must be a list of ", What]),
    << <<Word:Bits/little>> || Word <- List >>.

integer(_, Value) when is_integer(Value) -> Value;
integer(Name, Value) ->
    try binary_to_integer(Value)
    catch error:_ -> invalid([$', Name, "' must be a whole number"])
    end.
