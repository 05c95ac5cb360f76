%%% @doc Stands in for HyperBEAM's module of this name in the device's tests: the option `http_answer', a function of
%%% the request, gives the answer.
-module(hb_http_client).

-export([req/2]).

req(#{peer := _, path := _, method := _, headers := _, body := _} = Request, #{http_answer := Answer}) ->
    Answer(Request).
