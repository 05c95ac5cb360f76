%%% @doc Stands in for HyperBEAM's module of this name in the device's tests: the option `http_nodes' has a function of
%%% path and message for each node; one that is not there raises, as the host's client does.
-module(hb_http).

-export([request/5]).

request(_Method, Node, Path, Message, #{http_nodes := Nodes}) ->
    (maps:get(Node, Nodes))(Path, Message).
