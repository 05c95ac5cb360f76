%%% @doc What a request costs: the pricing device of the host's `p4@1.0'.
%%%
%%% A call costs `kem_price_call', and for every MiB that is begun `kem_price_input_mib' of its input and
%%% `kem_price_output_mib' of its output, times the kernel's factor in `kem_price_kernels' (1). A request with several
%%% calls costs their sum, and what is no call of this device costs what `simple-pay@1.0' says.
-module(kem_price).

-export([estimate/3, calls/1]).

-define(MIB, 1048576).
-define(DEVICE, <<"kem@1.0">>).

-type call() :: {Key :: binary(), Base :: map(), Req :: map()}.

%% @doc The price of the `request' that p4 asks for, whose parsed messages are its `body'.
-spec estimate(map(), map(), map()) -> {ok, non_neg_integer()} | {error, term()}.
estimate(Base, Req, Opts) ->
    Request = maps:get(<<"request">>, Req, #{}),
    case [Call || {Key, _, _} = Call <- calls(messages(Req, Request)), costs(Key)] of
        [] -> hb_ao:resolve(Base#{<<"device">> => <<"simple-pay@1.0">>}, Req, Opts);
        Calls ->
            case kem_options:read(Opts) of
                {ok, Options} -> {ok, total(Calls, Request, Options, Opts)};
                {error, {_, Message}} -> {error, Message}
            end
    end.

messages(#{<<"body">> := Messages}, _) when is_list(Messages) -> Messages;
messages(_, Request) -> hb_singleton:from(Request).

costs(Key) -> lists:member(Key, [<<"run">>, <<"execute_kernel">>, <<"execute_kernel_with_params">>]).

total(Calls, Request, Options, Opts) ->
    Operator = hb_opts:get(operator, undefined, Opts),
    case Operator =/= undefined andalso lists:member(Operator, hb_message:signers(Request)) of
        true -> 0;
        false -> lists:sum([price(Call, Options, Opts) || Call <- Calls])
    end.

%% @doc The calls of this device among a request's messages: a message that names the device, or is taken as it, and
%% the one after.
-spec calls([term()]) -> [call()].
calls([{as, ?DEVICE, Base}, Req | Rest]) -> call(Base, Req) ++ calls([Req | Rest]);
calls([#{<<"device">> := ?DEVICE} = Base, Req | Rest]) -> call(Base, Req) ++ calls([Req | Rest]);
calls([_ | Rest]) -> calls(Rest);
calls([]) -> [].

call(Base, #{<<"path">> := Path} = Req) when is_map(Base), is_binary(Path) ->
    [{binary:replace(string:lowercase(Path), <<"-">>, <<"_">>, [global]), Base, Req}];
call(_, _) ->
    [].

%% A call whose arguments are wrong costs what any call does: it will be refused.
price({Key, Base, Req}, #{kem_price_call := Call} = Options, Opts) ->
    try
        Arguments = kem_request:arguments(Base, Req, Opts),
        Input = byte_size(kem_request:input(Arguments)),
        #{kem_price_input_mib := PerInput, kem_price_output_mib := PerOutput, kem_price_kernels := Factors} = Options,
        Factor = maps:get(kem_request:find(<<"kernel_id">>, Arguments), Factors, 1),
        Factor * (Call + PerInput * mebibytes(Input) + PerOutput * mebibytes(output(Key, Input, Arguments)))
    catch
        throw:{kem, _} -> Call
    end.

output(<<"execute_kernel_with_params">>, Input, _) -> Input;
output(_, Input, Arguments) ->
    case kem_request:options(maps:with([<<"output_size">>, <<"output_size_hint">>], Arguments)) of
        #{output_size := Size} -> max(Size, 0);
        #{output_size_hint := Hint} -> Input * max(Hint, 0);
        #{} -> Input
    end.

mebibytes(Bytes) -> (Bytes + ?MIB - 1) div ?MIB.
