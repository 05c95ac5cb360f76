%%% @doc Stands in for HyperBEAM's module of this name in the device's tests: `/~DEVICE/KEY' is a base message with the
%%% device and a request with the key; all other keys are in both.
-module(hb_singleton).

-export([from/1]).

from(#{<<"path">> := <<"/~", Path/binary>>} = Message) ->
    [Device, Key] = binary:split(Path, <<"/">>),
    [Message#{<<"device">> => Device}, Message#{<<"path">> => Key}].
