%%% @doc Stands in for HyperBEAM's device `router@1.0' in the device's tests: templates are regular expressions.
-module(dev_router).

-export([info/1, match/3]).

info(_) -> #{exports => [match]}.

match(#{<<"routes">> := Routes}, #{<<"route-path">> := Path}, _Opts) ->
    case [Route || #{<<"template">> := Template} = Route <- Routes, re:run(Path, Template) =/= nomatch] of
        [Route | _] -> {ok, Route};
        [] -> {error, no_matching_route}
    end.
