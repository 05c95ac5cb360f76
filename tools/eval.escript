#!/usr/bin/env escript
%%! -noinput
%% Prints the value of the Erlang expressions in the environment variable EXPR with ~p. Exits with 1, and the
%% reason on standard error, if they do not parse or if they raise.
-mode(compile).

main([]) ->
    true = code:add_patha(filename:absname("_build/default/lib/kem/ebin")),
    _ = application:load(kem),
    case os:getenv("EXPR", "") of
        "" ->
            fail("no expression: make eval EXPR='kem_nif:hello()'", []);
        Text ->
            Exprs = parse(string:trim(string:trim(Text), trailing, ".") ++ "."),
            try erl_eval:exprs(Exprs, erl_eval:new_bindings()) of
                {value, Value, _} -> io:format("~p~n", [Value])
            catch
                Class:Reason:Stack -> fail("~ts", [erl_error:format_exception(Class, Reason, Stack)])
            end
    end.

parse(Text) ->
    case erl_scan:string(Text) of
        {ok, Tokens, _} ->
            case erl_parse:parse_exprs(Tokens) of
                {ok, Exprs} -> Exprs;
                {error, {_, Module, What}} -> fail("~ts", [Module:format_error(What)])
            end;
        {error, {_, Module, What}, _} ->
            fail("~ts", [Module:format_error(What)])
    end.

-spec fail(string(), list()) -> no_return().
fail(Format, Arguments) ->
    io:format(standard_error, Format ++ "~n", Arguments),
    halt(1).
