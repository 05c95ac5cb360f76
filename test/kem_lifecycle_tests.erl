%%% @doc The library's life in the VM: loading, not loading, upgrade, purge, unloading, the VM's end. Each in a VM of
%%% its own.
-module(kem_lifecycle_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [child/2, child/4]).

lifecycle_test_() ->
    kem_test_lib:patient([
        fun upgrade/0, fun upgrade_under_load/0, fun unload/0, fun unload_while_running/0, fun other_build/0,
        fun soft_purge/0, fun places/0, fun not_loaded/0, fun bad_library/0, fun path_with_suffix/0, fun halt_while_running/0,
        fun halt_while_opening/0,
        fun halt_after_use/0
    ]).

-define(PRELUDE, "
    ok = kem_test_lib:start(),
    Double = kem_test_lib:kernel(double),
    Slow = fun() -> kem:submit(kem_test_lib:kernel(slow), binary:copy(<<1, 2, 3, 4>>, 1000000), #{}) end,
    Run = fun() -> kem:run(Double, <<1, 3, 5, 7>>, #{}) end,
    Load = fun() -> {module, kem_nif} = code:load_file(kem_nif) end,
    ").

value(Expression) ->
    {ok, Value} = child([], ?PRELUDE ++ Expression),
    Value.

%% Jobs go on through an upgrade, and the engine stays: it need not be opened again.
upgrade() ->
    ?assertEqual(
        {true, {ok, <<2, 6, 10, 14>>}, {error, {cancelled, <<"the job was cancelled">>}}, []},
        value("
            {ok, Job} = Slow(),
            [begin Load(), code:purge(kem_nif) end || _ <- lists:seq(1, 20)],
            Running = kem_nif:running_nif(),
            ok = kem:cancel(Job),
            {Running, Run(), kem:await(Job), kem_test_lib:flush()}")).

upgrade_under_load() ->
    ?assertEqual(
        [normal],
        value("
            Workers = [spawn_monitor(fun() -> [{ok, _} = Run() || _ <- lists:seq(1, 200)] end) || _ <- lists:seq(1, 8)],
            Purge = fun Purge() -> code:soft_purge(kem_nif) orelse begin timer:sleep(1), Purge() end end,
            [begin Load(), true = Purge() end || _ <- lists:seq(1, 10)],
            lists:usort([receive {'DOWN', M, process, _, Reason} -> Reason end || {_, M} <- Workers])")).

unload() ->
    ?assertEqual(
        [{ok, <<2, 6, 10, 14>>}],
        value("
            lists:usort([begin true = code:delete(kem_nif), code:purge(kem_nif), Run() end || _ <- lists:seq(1, 10)])")).

%% The old library ends its job before it goes; the new one serves meanwhile.
unload_while_running() ->
    ?assertMatch(
        {{ok, <<2, 6, 10, 14>>}, {error, {timeout, _}}},
        value("
            {ok, Job} = kem:submit(kem_test_lib:kernel(slow), binary:copy(<<1, 2, 3, 4>>, 1000000), #{timeout => 500}),
            Ref = kem:reference(Job),
            true = code:delete(kem_nif),
            code:purge(kem_nif),
            Result = Run(),
            {Result, receive {kem, Ref, End} -> End after 120000 -> none end}")).

%% A library of another file takes the module's name over: the old one's jobs are cancelled when it is purged.
other_build() ->
    ?assertMatch(
        {false, {ok, <<2, 6, 10, 14>>}, {error, {cancelled, _}}},
        value("
            Copy = filename:join(kem_test_lib:directory(\"copy\"), \"kem_nif.so\"),
            {ok, _} = file:copy(kem_nif:library() ++ \".so\", Copy),
            {ok, Job} = Slow(),
            Ref = kem:reference(Job),
            true = os:putenv(\"KEM_NIF_PATH\", Copy),
            Load(),
            Running = kem_nif:running_nif(),
            Result = Run(),
            code:purge(kem_nif),
            {Running, Result, receive {kem, Ref, End} -> End after 120000 -> none end}")).

soft_purge() ->
    ?assertEqual({true, {ok, <<2, 6, 10, 14>>}}, value("Run(), Load(), {code:soft_purge(kem_nif), Run()}")).

%% The library is found in priv of the applications kem and hb, beside the object code and in the current directory, the
%% first of these first; and where it is in none, each of them is named.
places() ->
    Directory = kem_test_lib:directory("places"),
    Ebin = filename:dirname(code:which(kem_nif)),
    [begin
        ok = filelib:ensure_dir(filename:join([Directory, Place, "ebin", "file"])),
        [{ok, _} = file:copy(Beam, filename:join([Directory, Place, "ebin", filename:basename(Beam)])) ||
            Beam <- filelib:wildcard(filename:join(Ebin, "kem*.beam")), Place =/= "hb"]
    end || Place <- ["kem", "hb", "code"]],
    Put = fun(Place) ->
        Priv = filename:join([Directory, Place, "priv"]),
        ok = filelib:ensure_dir(filename:join(Priv, "file")),
        ok = file:make_symlink(kem_nif:library() ++ ".so", filename:join(Priv, "kem_nif.so"))
    end,
    Ask = fun(Question, Places) ->
        {ok, Answer} = child([{"KEM_NIF_PATH", false}], "ok = file:set_cwd(\"" ++ Directory ++ "\"), " ++ Question, [],
                             [filename:join([Directory, Place, "ebin"]) || Place <- Places]),
        Answer
    end,
    {error, {not_loaded, Message}} = Ask("kem:run(<<>>, <<>>, #{})", ["code", "hb"]),
    [?assertMatch({match, _}, re:run(Message, filename:join(Directory, Path) ++ "\\.so: no such file")) ||
        Path <- ["hb/priv/kem_nif", "code/ebin/\\.\\./priv/kem_nif", "priv/kem_nif"]],
    Found = fun(Places) -> string:prefix(Ask("kem_nif:library()", Places), Directory ++ "/") end,
    [begin
        Put(Place),
        ?assertEqual(filename:join(Path, "kem_nif"), Found(Places))
    end || {Place, Path, Places} <- [
        {"", "priv", ["code", "hb"]}, {"code", "code/ebin/../priv", ["code", "hb"]}, {"hb", "hb/priv", ["code", "hb"]},
        {"kem", "kem/priv", ["kem", "hb"]}]].

%% Without a library the module loads, and every call says which paths were tried.
not_loaded() ->
    {ok, {Hello, Contract, Run, Submit, Adapter}} = child([{"KEM_NIF_PATH", "/nonexistent/kem_nif"}], "
        {catch kem_nif:hello(), catch kem_nif:execute_kernel(<<>>, <<>>, 1), kem:run(<<>>, <<>>, #{}),
         kem:submit(<<>>, <<>>, #{}), kem:adapter_info()}"),
    ?assertMatch({'EXIT', {{not_loaded, _}, _}}, Hello),
    ?assertMatch({'EXIT', {{not_loaded, _}, _}}, Contract),
    {error, {not_loaded, Message}} = Run,
    ?assertMatch({match, _}, re:run(Message, "/nonexistent/kem_nif.so: no such file")),
    ?assertEqual(Run, Submit),
    ?assertEqual(Run, Adapter).

bad_library() ->
    Path = filename:join(kem_test_lib:directory("bad"), "kem_nif.so"),
    ok = file:write_file(Path, "not a library"),
    {ok, {error, {not_loaded, Message}}} = child([{"KEM_NIF_PATH", Path}], "kem:run(<<>>, <<>>, #{})"),
    ?assertMatch({match, _}, re:run(Message, Path)).

path_with_suffix() ->
    Path = kem_nif:library() ++ ".so",
    ?assertEqual({ok, <<"Hello world!">>}, child([{"KEM_NIF_PATH", Path}], "kem_nif:hello()")).

%% The VM ends in order, with its own status, whatever the library is doing once the device is open. (While the driver
%% is still being loaded, its own clean-up at exit comes before ours: see docs/architecture.md.)
halt_while_running() ->
    [?assertMatch({failed, 7, <<>>}, child([], ?PRELUDE ++ "{ok, _} = kem:adapter_info(), {ok, _} = Slow(), timer:sleep(" ++
        Wait ++ "), halt(7)")) || Wait <- ["0", "1", "50", "300"]].

%% At many moments, as the driver makes what an exit destroys at one of them.
halt_while_opening() ->
    {error, _} = kem:run(<<"too short">>, <<1, 3, 5, 7>>, #{}),
    [?assertMatch({Wait, {failed, 7, <<>>}},
                  {Wait, child([], "{error, _} = kem:run(<<\"too short\">>, <<1, 3, 5, 7>>, #{}), timer:sleep(" ++
                                       integer_to_list(Wait) ++ "), halt(7)")}) || Wait <- lists:seq(0, 60, 4)].

halt_after_use() ->
    ?assertMatch({failed, 7, <<>>}, child([], ?PRELUDE ++ "{ok, _} = kem:adapter_info(), {ok, _} = Run(), halt(7)")),
    ?assertMatch({failed, 0, <<>>},
                 case child([], ?PRELUDE ++ "{ok, _} = kem:adapter_info(), {ok, _} = Run(), init:stop(), timer:sleep(infinity)") of
                     {failed, no_value, Output} -> {failed, 0, Output};
                     Other -> Other
                 end).
