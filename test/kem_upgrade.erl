%%% @doc Loads every module of the application anew while calls are in flight: for the suites with and without a host.
-module(kem_upgrade).

-export([while_calling/1]).

-define(CALLERS, 4).
-define(ROUNDS, 10).

%% @doc Ten times every module, while four processes call all the time. What the calls came to, each different result
%% once, and whether every process made calls from the first round to the last.
-spec while_calling(fun(() -> term())) -> {[term()], boolean()}.
while_calling(Call) ->
    Self = self(),
    Callers = [spawn_link(fun() -> caller(Self, Call, #{}, 0) end) || _ <- lists:seq(1, ?CALLERS)],
    [receive {calling, Caller} -> ok end || Caller <- Callers],
    [[load(Module) || Module <- modules()] || _ <- lists:seq(1, ?ROUNDS)],
    Ends = [begin
        Caller ! stop,
        receive {results, Caller, Results, Count} -> {Results, Count} end
    end || Caller <- Callers],
    {lists:usort(lists:append([Results || {Results, _} <- Ends])), lists:all(fun({_, Count}) -> Count > 1 end, Ends)}.

caller(Parent, Call, Results, Count) ->
    Seen = Results#{Call() => true},
    Count =:= 0 andalso (Parent ! {calling, self()}),
    receive
        stop -> Parent ! {results, self(), maps:keys(Seen), Count}
    after 0 -> caller(Parent, Call, Seen, Count + 1)
    end.

modules() ->
    Directory = filename:dirname(code:which(dev_kem)),
    Names = [filename:basename(File, ".beam") || File <- filelib:wildcard(filename:join(Directory, "*kem*.beam"))],
    Modules = [list_to_atom(Name) || Name <- Names, Name =:= "dev_kem" orelse Name =:= "kem"
                                                    orelse string:prefix(Name, "kem_") =/= nomatch],
    [Module || Module <- Modules, product(Module)].

%% Not the suites' own, which may stand in the same directory.
product(Module) ->
    Source = proplists:get_value(source, Module:module_info(compile)),
    filename:basename(filename:dirname(Source)) =:= "src".

%% The old code goes when no call runs in it any more: that is what keeps the calls.
load(Module) ->
    case code:soft_purge(Module) of
        true ->
            {module, Module} = code:load_file(Module);
        false ->
            timer:sleep(1),
            load(Module)
    end.
