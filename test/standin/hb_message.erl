%%% @doc Stands in for HyperBEAM's module of this name in the device's tests: who signed a message is what its key
%%% `signers' says, and the signature is right if `signed_path' is the message's path.
-module(hb_message).

-export([signers/1, verify/2]).

signers(Message) -> maps:get(<<"signers">>, Message, []).

verify(#{<<"path">> := Path} = Message, [_ | _]) -> maps:get(<<"signed_path">>, Message, none) =:= Path;
verify(_, _) -> false.
