%%% @doc The device `kem@1.0': WGSL kernels from Arweave, run on this node's GPU. Each key may be spelled with dashes.
%%%
%%% <ul>
%%%   <li>`execute_kernel' and `execute_kernel_with_params': the contract that callers of the Rust device know. The
%%%       arguments are a JSON object (`kernel_id', `input_data' as an array of byte values, `output_size_hint' (1) or
%%%       `params', an array of u32 words), or the input is the body and the others are keys beside it.</li>
%%%   <li>`run': everything that {@link kem:run/3} can do, with keys of the message as arguments, and headers that
%%%       tell how it went.</li>
%%%   <li>`compile': what the front-end says of a kernel, without running it.</li>
%%%   <li>`info', `get_adapter_info', `adapters', `stats': what this is, the GPU, all GPUs, the engine's counters.</li>
%%%   <li>`estimate', `price': for `p4@1.0', whose pricing device this can be; see {@link kem_price}.</li>
%%%   <li>`start', `relay': for the node's hooks of these purposes; see {@link start/3} and {@link kem_relay}.</li>
%%% </ul>
%%%
%%% {@link kem_request} says where arguments are looked for, {@link kem_response} what answers are, and
%%% {@link kem_options} what the node's operator can set. docs/hyperbeam.md tells it all to users.
-module(dev_kem).

-export([info/1, info/3, execute_kernel/3, execute_kernel_with_params/3, run/3, compile/3]).
-export([get_adapter_info/3, adapters/3, stats/3, estimate/3, price/3, start/3, relay/3]).

-define(event(Topic, Event, Opts), hb_event:log(Topic, Event, ?MODULE, ?FUNCTION_NAME, ?LINE, Opts)).

%% The keys; a row adds one.
-define(KEYS, [
    {<<"info">>, <<"This description">>},
    {<<"execute_kernel">>, <<"Run a kernel over the input's bytes">>},
    {<<"execute_kernel_with_params">>, <<"Run a kernel over an image or a grid, with params">>},
    {<<"run">>, <<"Run a kernel, arguments being keys of the message">>},
    {<<"compile">>, <<"Check a kernel without running it">>},
    {<<"get_adapter_info">>, <<"The GPU that kernels run on">>},
    {<<"adapters">>, <<"All GPUs of the node">>},
    {<<"stats">>, <<"The engine's counters">>},
    {<<"estimate">>, <<"What a request would cost">>},
    {<<"price">>, <<"What a request costs">>},
    {<<"start">>, <<"For the hook of this name: checks the node's options">>},
    {<<"relay">>, <<"For the hook request: passes calls on to other nodes">>}
]).
%% Those that put the node to work, which a caller may be allowed only so many of at a time.
-define(WORK, [execute_kernel, execute_kernel_with_params, run, compile]).

-type message() :: #{binary() | atom() => term()}.
-type response() :: kem_response:response().
%% What is told of a call that succeeds, beside its response.
-type facts() :: #{atom() => term()}.

%%% What the host asks.

%% @doc The keys that the device answers.
-spec info(term()) -> #{exports := [binary()]}.
info(_) ->
    #{exports => lists:usort([Spelt || {Key, _} <- ?KEYS, Spelt <- [Key, dashed(Key)]])}.

dashed(Key) -> binary:replace(Key, <<"_">>, <<"-">>, [global]).

%% @doc For the node's hook `start' (`on/start/device: kem@1.0' in config.flat): reports what is wrong with the node's
%% options, and begins to open the GPU, so that the first call finds it open. The node starts either way.
-spec start(message(), message(), map()) -> {ok, message()} | response().
start(_Base, #{<<"body">> := #{preloaded_devices := _} = NodeMessage}, Opts) ->
    _ = case kem_options:problems(NodeMessage) of
        [] ->
            try configure(NodeMessage) of
                ok -> ?event(kem, {started, kem_nif:library()}, Opts)
            catch
                throw:{kem, Reason} -> ?event(error, {kem_not_started, Reason}, Opts);
                error:{not_loaded, Message} -> ?event(error, {kem_not_loaded, Message}, Opts)
            end;
        Problems ->
            [?event(error, {kem_option, Problem}, Opts) || Problem <- Problems]
    end,
    {ok, #{<<"body">> => NodeMessage}};
start(_Base, _Req, _Opts) ->
    kem_response:refusal({forbidden, <<"'start' is for the node's own hook">>}).

%%% Keys that run kernels.

%% @doc Runs a kernel over bytes; the output has `output_size_hint' times as many.
-spec execute_kernel(message(), message(), map()) -> response().
execute_kernel(Base, Req, Opts) ->
    respond(execute_kernel, Base, Req, Opts, fun(Arguments, Options) ->
        Kernel = kem_request:kernel(Arguments),
        Settings = kem_request:contract(execute_kernel, Arguments),
        {Output, Facts} = execute(Kernel, Arguments, Settings, Options),
        {kem_response:output(Output, kem_request:encoding(Arguments), #{}), Facts}
    end).

%% @doc Runs a kernel over a grid whose width and height are the first two params. An image is decoded before and
%% comes back as PNG, or as the name that the operator's upload service gives it.
-spec execute_kernel_with_params(message(), message(), map()) -> response().
execute_kernel_with_params(Base, Req, Opts) ->
    respond(execute_kernel_with_params, Base, Req, Opts, fun(Arguments, Options) ->
        Kernel = kem_request:kernel(Arguments),
        Upload = kem_upload:wanted(Arguments, Options),
        Settings = kem_request:contract(execute_kernel_with_params, Arguments),
        {Output, Facts} = execute(Kernel, Arguments, Settings, Options),
        case {Upload, Output} of
            {true, <<16#89, "PNG", _/binary>>} ->
                {uploaded(value(kem_upload:post(Output, Options, Opts))), Facts};
            _ -> {kem_response:output(Output, kem_request:encoding(Arguments), #{}), Facts}
        end
    end).

uploaded(Name) ->
    {ok, #{<<"status">> => 200, <<"content-type">> => <<"text/plain">>, <<"body">> => Name}}.

%% @doc Runs a kernel, given by `kernel_id' or, where the operator lets callers, as text in `kernel', with the options
%% of {@link kem:run/3} as arguments.
-spec run(message(), message(), map()) -> response().
run(Base, Req, Opts) ->
    respond(run, Base, Req, Opts, fun(Arguments, Options) ->
        Kernel = kem_request:source(Arguments),
        Settings = kem_policy:time_limit(kem_request:options(Arguments), Options),
        {Output, #{report := Report} = Facts} = execute(Kernel, Arguments, Settings, Options),
        Headers = kem_response:headers(Kernel, Report, adapter_name()),
        {kem_response:output(Output, kem_request:encoding(Arguments), Headers), Facts}
    end).

-spec execute(kem:kernel(), kem_request:arguments(), kem:options(), kem_options:options()) -> {binary(), facts()}.
execute(Kernel, Arguments, Settings, Options) ->
    permitted(kem_policy:kernel(Kernel, Options)),
    Input = kem_request:input(Arguments),
    case kem:run(Kernel, Input, Settings#{report => true}) of
        {ok, Output, Report} ->
            ok = kem_metrics:work(byte_size(Input), byte_size(Output), Report),
            {Output, #{kernel => name(Kernel), input => byte_size(Input), output => byte_size(Output),
                       report => Report}};
        {error, Reason} ->
            throw({kem, Reason})
    end.

name({source, _}) -> text;
name(Id) -> Id.

permitted(ok) -> ok;
permitted({error, Reason}) -> throw({kem, Reason}).

%% The name in every answer of `run' is looked up once: the GPU is another only after the node has started anew.
adapter_name() ->
    case persistent_term:get({?MODULE, adapter}, undefined) of
        undefined ->
            #{name := Name} = value(kem:adapter_info()),
            persistent_term:put({?MODULE, adapter}, Name),
            Name;
        Name ->
            Name
    end.

%%% Keys that tell.

%% @doc What the device is, which keys it has, and which WGSL extensions kernels may use.
-spec info(message(), message(), map()) -> response().
info(_Base, _Req, Opts) ->
    Body = #{
        <<"wgsl_extensions">> => extensions(Opts),
        <<"description">> => <<"Kernel Execution Machine: runs WGSL compute kernels stored on Arweave">>,
        <<"version">> => <<"1.0">>,
        <<"paths">> => maps:from_list(?KEYS)
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

%% @doc What a kernel is, as JSON: warnings, overrides, each compute entry point with its bindings and needs, and the
%% limits that it was held against. One that is not valid is a 400 with the compiler's words.
-spec compile(message(), message(), map()) -> response().
compile(Base, Req, Opts) ->
    respond(compile, Base, Req, Opts, fun(Arguments, Options) ->
        Kernel = kem_request:source(Arguments),
        permitted(kem_policy:kernel(Kernel, Options)),
        {kem_response:json(value(kem_nif:ask({compile, Kernel}))), #{kernel => name(Kernel)}}
    end).

%% @doc The GPU as JSON: name, vendor, device, driver, backend, driver_info.
-spec get_adapter_info(message(), message(), map()) -> response().
get_adapter_info(Base, Req, Opts) ->
    respond(get_adapter_info, Base, Req, Opts, fun(_, _) ->
        {{ok, #{<<"status">> => 200, <<"content-type">> => <<"application/json">>,
                <<"body">> => kem_nif:adapter_info()}}, #{}}
    end).

%% @doc Every GPU of the node as a JSON array; those that kernels run on have `in_use' true.
-spec adapters(message(), message(), map()) -> response().
adapters(Base, Req, Opts) ->
    respond(adapters, Base, Req, Opts, fun(_, _) ->
        {kem_response:json(value(kem_nif:ask(adapters))), #{}}
    end).

%% @doc The engine's counters as JSON.
-spec stats(message(), message(), map()) -> response().
stats(Base, Req, Opts) ->
    respond(stats, Base, Req, Opts, fun(_, _) -> {kem_response:json(value(kem:stats())), #{}} end).

%%% Keys for other devices and for hooks.

%% @doc The price of a request before it is served; see {@link kem_price}.
-spec estimate(message(), message(), map()) -> {ok, non_neg_integer()} | {error, term()}.
estimate(Base, Req, Opts) ->
    kem_price:estimate(Base, Req, Opts).

%% @doc The price of a request that has been served: that of the estimate.
-spec price(message(), message(), map()) -> {ok, non_neg_integer()} | {error, term()}.
price(Base, Req, Opts) ->
    kem_price:estimate(Base, maps:remove(<<"body">>, Req), Opts).

%% @doc For the hook `request' of a node that has others do the work; see {@link kem_relay}.
-spec relay(message(), message(), map()) -> {ok, message()}.
relay(Base, Req, Opts) ->
    kem_relay:request(Base, Req, Opts).

%%% One way for every key.

%% The one place where failures become responses.
-spec respond(atom(), message(), message(), map(),
              fun((kem_request:arguments(), kem_options:options()) -> {response(), facts()})) -> response().
respond(Key, Base, Req, Opts, Function) ->
    Begun = erlang:monotonic_time(),
    try
        configure(Opts),
        Options = value(kem_options:read(Opts)),
        Callers = value(kem_policy:caller(Req, Options, Opts)),
        Call = fun() -> Function(kem_request:arguments(Base, Req, Opts), Options) end,
        case lists:member(Key, ?WORK) of
            true -> value(kem_policy:in_turn(Callers, Options, Call));
            false -> Call()
        end
    of
        {Response, Facts} ->
            _ = ?event(kem, {done, Key, Facts#{microseconds => since(Begun)}}, Opts),
            ok = kem_metrics:call(Key, ok, since(Begun)),
            Response
    catch
        throw:{kem, Reason} -> refuse(Key, Reason, Begun, Opts);
        error:{not_loaded, _} = Reason -> refuse(Key, Reason, Begun, Opts);
        error:{Class, Message} when is_atom(Class), is_binary(Message) -> refuse(Key, {Class, Message}, Begun, Opts);
        Kind:Reason:Stack ->
            _ = ?event(error, {kem_crashed, Key, {Kind, Reason, Stack}}, Opts),
            refuse(Key, {internal, <<"the device failed; the node's log says more">>}, Begun, Opts)
    end.

refuse(Key, Reason, Begun, Opts) ->
    _ = ?event(kem, {refused, Key, Reason}, Opts),
    ok = kem_metrics:call(Key, kem_response:class(Reason), since(Begun)),
    kem_response:refusal(Reason).

since(Begun) ->
    erlang:convert_time_unit(erlang:monotonic_time() - Begun, native, microsecond).

value({ok, Value}) -> Value;
value({error, Reason}) -> throw({kem, Reason}).

%% The first call starts the engine with the node's options over the application's environment.
configure(Opts) ->
    case kem_nif:running_nif() of
        true ->
            ok;
        false ->
            _ = value(kem_options:read(Opts)),
            case kem:configure(kem_options:engine(Opts)) of
                {error, {_, _} = Reason} -> throw({kem, Reason});
                _ -> ok
            end
    end.
