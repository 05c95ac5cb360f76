%%% @doc Stands in for HyperBEAM's module of this name in the device's tests: how a key of a device is found and
%%% called, and how a message's own keys are read past its device. Messages are plain maps; nothing is signed,
%%% hashed or cached.
-module(hb_ao).

-export([get_first/3, resolve/3]).

%% @doc The value under the first of the `{Message, Key}' pairs that has one. A message may be given as
%% `{as, Device, Message}'; of a plain map, only the keys that its device does not answer itself can be read.
get_first([], Default, _Opts) ->
    Default;
get_first([{Message, Key} | Rest], Default, Opts) ->
    case get(Key, Message, Opts) of
        not_found -> get_first(Rest, Default, Opts);
        Value -> Value
    end.

get(Key, {as, <<"message@1.0">>, Message}, _Opts) ->
    maps:get(Key, Message, not_found);
get(Key, #{<<"device">> := Device} = Message, Opts) when Device =/= <<"message@1.0">> ->
    case resolve(Message, #{<<"path">> => Key}, Opts) of
        {ok, Value} -> Value;
        _ -> not_found
    end;
get(Key, Message, _Opts) ->
    maps:get(Key, Message, not_found).

%% @doc Calls the device of Base for the key that is the request's path: the function of that name, dashes being
%% underscores, if the device exports the key as it was written; else the key is looked up in the message.
resolve(Base, #{<<"path">> := Key} = Req, Opts) ->
    Module = device(maps:get(<<"device">>, Base)),
    Exports = [hb_name(Export) || Export <- maps:get(exports, Module:info(Base))],
    case lists:member(hb_name(Key), Exports) of
        true ->
            Function = binary_to_existing_atom(binary:replace(hb_name(Key), <<"-">>, <<"_">>, [global])),
            Module:Function(Base, Req, Opts);
        false ->
            case maps:find(Key, Base) of
                {ok, Value} -> {ok, Value};
                error -> {error, not_found}
            end
    end.

device(<<"kem@1.0">>) -> dev_kem;
device(<<"router@1.0">>) -> dev_router;
device(<<"simple-pay@1.0">>) -> dev_simple_pay.

hb_name(Key) when is_atom(Key) -> atom_to_binary(Key);
hb_name(Key) -> string:lowercase(Key).
