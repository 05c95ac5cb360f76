%%% @doc What the front-end says of a kernel: the key `compile' of the device.
-module(kem_compile).

-export([report/1]).

%% @doc That a kernel is valid, with the compiler's warnings; or why it is not.
-spec report(kem:kernel()) -> {ok, #{binary() => term()}} | {error, kem:reason()}.
report({source, Wgsl}) ->
    case kem:check(Wgsl) of
        {ok, Warnings} -> {ok, #{<<"valid">> => true, <<"diagnostics">> => Warnings}};
        {error, _} = Error -> Error
    end.
