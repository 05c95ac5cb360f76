%%% @doc What a call comes to, as a message that the host can carry: an integer status, and binaries. Nothing else may
%%% be in one, for a tuple would end a Lua process, whatever it does to catch it.
%%%
%%% What may go well at another time (429, 502, 503, 504) is a `failure', any other refusal an `error'.
-module(kem_response).

-export([output/3, json/1, refusal/1, headers/3, class/1]).

-type message() :: #{binary() => term()}.
-type response() :: {ok | error | failure, message()}.
-type reason() :: kem:reason() | {forbidden | caller_busy, Message :: binary()}.
%% The engine's reasons, and the device's own: the operator does not allow it, or not so often.
-export_type([message/0, response/0, reason/0]).

%% @doc An output in the encoding that the caller wants, with further keys of the message.
-spec output(binary(), kem_request:encoding(), message()) -> response().
output(Output, Encoding, Headers) ->
    {Type, Body} = encode(Encoding, Output),
    Message = Headers#{<<"status">> => 200, <<"body">> => Body},
    {ok, case Type of none -> Message; _ -> Message#{<<"content-type">> => Type} end}.

encode(binary, Output) -> {binary_type(Output), Output};
encode(list, Output) -> {none, binary_to_list(Output)};
encode(json, Output) -> {<<"application/json">>, json_list(Output)};
encode(base64url, Output) -> {<<"text/plain">>, base64url(Output)}.

binary_type(<<16#89, "PNG\r\n", 16#1A, "\n", _/binary>>) -> <<"image/png">>;
binary_type(_) -> <<"application/octet-stream">>.

json_list(<<>>) -> <<"[]">>;
json_list(<<First, Rest/binary>>) ->
    iolist_to_binary([$[, integer_to_binary(First), [[$,, integer_to_binary(Byte)] || <<Byte>> <= Rest], $]]).

base64url(Output) ->
    << <<(url_safe(Byte))>> || <<Byte>> <= base64:encode(Output), Byte =/= $= >>.

url_safe($+) -> $-;
url_safe($/) -> $_;
url_safe(Byte) -> Byte.

%% @doc A term of maps, lists, numbers, texts and booleans as a JSON body.
-spec json(term()) -> response().
json(Term) ->
    {ok, #{<<"status">> => 200, <<"content-type">> => <<"application/json">>,
           <<"body">> => iolist_to_binary(hb_json:encode(Term))}}.

%% @doc The keys that tell of a call of `run': which kernel, where it came from and whether that proves it, which GPU,
%% and what each stage took, in milliseconds, as `server-timing' of HTTP says it.
-spec headers(kem:kernel(), kem:report(), binary()) -> message().
headers(Kernel, #{stages := Stages, kernel_origin := Origin, warnings := Warnings}, Adapter) ->
    Headers = #{
        <<"kernel-origin">> => Origin,
        <<"kernel-verification">> => verification(Origin),
        <<"adapter">> => Adapter,
        <<"server-timing">> => server_timing(Stages)
    },
    with_warnings(Warnings, with_id(Kernel, Headers)).

with_id({source, _}, Headers) -> Headers;
with_id(Id, Headers) -> Headers#{<<"kernel-id">> => Id}.

%% A header has one line: how many there are is told, and the key compile has the texts.
with_warnings(<<>>, Headers) -> Headers;
with_warnings(Warnings, Headers) ->
    Headers#{<<"kernel-warnings">> => integer_to_binary(length(binary:matches(Warnings, <<"warning: ">>)))}.

%% What comes from a gateway, or did once, has been held against its id; the operator's store is the operator's word.
verification(<<"text">>) -> <<"none">>;
verification(<<"store">>) -> <<"operator">>;
verification(_) -> <<"verified">>.

server_timing(Stages) ->
    Parts = [[atom_to_binary(Stage), <<";dur=">>, float_to_binary(Time / 1000, [{decimals, 3}])] ||
                Stage <- [queue, fetch, front_end, spirv, pipeline, upload, execute, readback],
                Time <- [maps:get(Stage, Stages, 0)]],
    iolist_to_binary(lists:join(<<", ">>, Parts)).

%% @doc The answer to a call that failed.
-spec refusal(reason()) -> response().
refusal(Reason) ->
    Status = status(Reason),
    Response = #{
        <<"status">> => Status,
        <<"content-type">> => <<"text/plain; charset=utf-8">>,
        <<"error-class">> => atom_to_binary(class(Reason)),
        <<"body">> => text(Reason)
    },
    case Status of
        _ when Status =:= 429; Status =:= 503 -> {failure, Response#{<<"retry-after">> => <<"1">>}};
        _ when Status =:= 502; Status =:= 504 -> {failure, Response};
        _ -> {error, Response}
    end.

status({forbidden, _}) -> 403;
status({caller_busy, _}) -> 429;
status(Reason) -> kem:http_status(Reason).

%% @doc The class of a reason.
-spec class(reason()) -> atom().
class(busy) -> busy;
class({Class, _}) -> Class.

text(busy) -> <<"the node is busy, try again later">>;
text({_, <<>>}) -> <<"the call failed">>;
text({_, Message}) -> Message.
