%%% @doc tools/hyperbeam.escript on small directories with what it looks for in a checkout: what it changes, that it says
%%% so, and that it takes all of it back.
-module(kem_install_tests).

-include_lib("eunit/include/eunit.hrl").

install_test_() ->
    kem_test_lib:patient([
        fun stock/0, fun fork/0, fun no_hooks/0, fun later_version/0, fun dependency/0, fun refusals/0
    ]).

-define(MARK, <<"% kem@1.0, by make install">>).
-define(OPTIONS, "default_message() ->\n    #{\n        preloaded_devices => [\n"
                 "            #{<<\"name\">> => <<\"cache@1.0\">>, <<\"module\">> => dev_cache}\n        ]\n    }.\n").
-define(REBAR, "{plugins, [pc]}.\n\n{pre_hooks, [\n    {compile, \"make -C x\"}\n]}.\n\n"
               "{deps, [\n\t{cowboy, \"2\"}\n]}.\n").

%% A directory with these files beside those that every checkout has.
checkout(Files) ->
    Directory = kem_test_lib:directory("checkout"),
    All = maps:merge(#{"src/hb_opts.erl" => ?OPTIONS, "rebar.config" => ?REBAR, "native/hb_beamr/hb_beamr.c" => "int x;\n",
                       "priv/html/index.html" => "hello"}, Files),
    [begin
        Path = filename:join(Directory, File),
        ok = filelib:ensure_dir(Path),
        ok = file:write_file(Path, Text)
    end || {File, Text} <- maps:to_list(All)],
    Directory.

%% Every file with its bytes, and every directory.
tree(Directory) ->
    maps:from_list([{Path, content(filename:join(Directory, Path))} || Path <- filelib:wildcard("**", Directory)]).

content(Path) ->
    case file:read_file(Path) of
        {ok, Bytes} -> Bytes;
        {error, eisdir} -> directory
    end.

tool(Arguments) ->
    Port = open_port({spawn_executable, os:find_executable("escript")},
                     [{args, [filename:join([project(), "tools", "hyperbeam.escript"]) | Arguments]},
                      % Not the sanitizer's runtime, if these tests have one.
                      {env, [{"LD_PRELOAD", false}]}, exit_status, binary, stderr_to_stdout]),
    collect(Port, <<>>).

collect(Port, Output) ->
    receive
        {Port, {data, Data}} -> collect(Port, <<Output/binary, Data/binary>>);
        {Port, {exit_status, Status}} -> {Status, Output}
    end.

project() ->
    Source = proplists:get_value(source, ?MODULE:module_info(compile)),
    filename:dirname(filename:dirname(Source)).

%% The lines of a file that were not there before, and those that have gone.
changed(File, Before, After) ->
    [Old, New] = [binary:split(maps:get(File, Tree), <<"\n">>, [global]) || Tree <- [Before, After]],
    {New -- Old, Old -- New}.

marked(Lines) ->
    lists:all(fun(Line) -> binary:match(Line, ?MARK) =/= nomatch end, Lines).

stock() ->
    Directory = checkout(#{}),
    Before = tree(Directory),
    {0, Said} = tool(["install", Directory]),
    Installed = tree(Directory),
    {[Row], []} = changed("src/hb_opts.erl", Before, Installed),
    {[Configure, Build], []} = changed("rebar.config", Before, Installed),
    ?assert(marked([Row, Configure, Build])),
    ?assertMatch({match, _}, re:run(Row, "kem@1\\.0.*dev_kem")),
    ?assertMatch({match, _}, re:run(Configure, "\\{compile, \"cmake -S native/kem")),
    ?assertMatch({match, _}, re:run(Build, "\\{compile, \"cmake --build .*kem_nif")),
    % Each edit is shown before it is made.
    [?assertNotEqual(nomatch, binary:match(Said, <<"\n+", Line/binary>>)) || Line <- [Row, Configure, Build]],
    {ok, _} = file:consult(filename:join(Directory, "rebar.config")),
    [?assert(is_map_key(File, Installed)) || File <- [
        "src/dev_kem.erl", "src/kem_nif.erl", "native/kem/CMakeLists.txt", "native/kem/native/nif/nif.cc",
        "native/kem/kernels/index.json", "native/kem/lua/kem.lua"]],
    {0, Again} = tool(["install", Directory]),
    ?assertEqual(nomatch, binary:match(Again, <<"\n+">>)),
    ?assert(tree(Directory) =:= Installed),
    % The first hook finds all that it needs in the checkout.
    {match, [Command]} = re:run(Configure, "\\{compile, \"(.*)\"\\}", [{capture, all_but_first, list}]),
    ?assertMatch({match, _}, re:run(os:cmd("unset LD_PRELOAD; cd " ++ Directory ++ " && REBAR_ROOT_DIR=" ++ Directory ++ " && " ++ Command ++
                                               " && echo configured"), "configured\n$")),
    % What is built goes too.
    ok = file:write_file(filename:join(Directory, "priv/kem_nif.so"), "built"),
    {0, _} = tool(["uninstall", Directory]),
    ?assertEqual(Before#{"_build" => directory}, tree(Directory)).

%% A checkout that has a device of this name keeps its row, and gets its modules back.
fork() ->
    Options = string:replace(?OPTIONS, "#{", "#{<<\"name\">> => <<\"kem@1.0\">>, <<\"module\">> => dev_kem},\n#{", trailing),
    Directory = checkout(#{"src/hb_opts.erl" => unicode:characters_to_binary(Options), "src/dev_kem.erl" => "theirs",
                           "src/kem_nif.erl" => "theirs too"}),
    Before = tree(Directory),
    {0, Said} = tool(["install", Directory]),
    ?assertNotEqual(nomatch, binary:match(Said, <<"replaces src/dev_kem.erl">>)),
    Installed = tree(Directory),
    ?assertEqual({[], []}, changed("src/hb_opts.erl", Before, Installed)),
    ?assertEqual(<<"theirs">>, maps:get("native/kem/replaced/dev_kem.erl", Installed)),
    ?assertMatch(<<"%%% @doc The device `kem@1.0'", _/binary>>, maps:get("src/dev_kem.erl", Installed)),
    {0, _} = tool(["install", Directory]),
    ?assert(tree(Directory) =:= Installed),
    {0, _} = tool(["uninstall", Directory]),
    ?assertEqual(Before, tree(Directory)).

no_hooks() ->
    Directory = checkout(#{"rebar.config" => "{plugins, [pc]}.\n"}),
    Before = tree(Directory),
    {0, _} = tool(["install", Directory]),
    {ok, Terms} = file:consult(filename:join(Directory, "rebar.config")),
    ?assertMatch([{compile, "cmake -S" ++ _}, {compile, "cmake --build" ++ _}], proplists:get_value(pre_hooks, Terms)),
    {0, _} = tool(["uninstall", Directory]),
    ?assertEqual(Before, tree(Directory)).

%% What an older version had and this one has not goes; what others have changed meanwhile stays.
later_version() ->
    Directory = checkout(#{}),
    Before = tree(Directory),
    {0, _} = tool(["install", Directory]),
    Installed = tree(Directory),
    Manifest = filename:join(Directory, "native/kem/installed.txt"),
    {ok, Modules} = file:read_file(Manifest),
    ok = file:write_file(Manifest, [Modules, "kem_older.erl\n"]),
    [ok = file:write_file(filename:join(Directory, File), "old") ||
        File <- ["src/kem_older.erl", "native/kem/native/older.cc", "src/kem.erl"]],
    {0, _} = tool(["install", Directory]),
    ?assert(tree(Directory) =:= Installed),
    Rebar = filename:join(Directory, "rebar.config"),
    ok = file:write_file(Rebar, binary:replace(maps:get("rebar.config", Installed), <<"Release">>, <<"Older">>)),
    {0, _} = tool(["install", Directory]),
    {ok, Text} = file:read_file(Rebar),
    ?assertEqual(maps:get("rebar.config", Installed), Text),
    ok = file:write_file(Rebar, [Text, "{eunit_opts, [verbose]}.\n"]),
    {0, _} = tool(["uninstall", Directory]),
    ?assertEqual(Before#{"rebar.config" => <<?REBAR "{eunit_opts, [verbose]}.\n">>}, tree(Directory)).

dependency() ->
    Directory = checkout(#{}),
    Before = tree(Directory),
    {0, _} = tool(["install", Directory, "dependency"]),
    Installed = tree(Directory),
    ?assertEqual(["rebar.config", "src/hb_opts.erl"],
                 lists:sort([Path || Path <- maps:keys(Installed), map_get(Path, Installed) =/= maps:get(Path, Before, none)])),
    {ok, Terms} = file:consult(filename:join(Directory, "rebar.config")),
    Url = "file://" ++ project(),
    ?assertMatch([{kem, {git, Url, {ref, [_ | _]}}}, {cowboy, "2"}], proplists:get_value(deps, Terms)),
    {0, _} = tool(["install", Directory, "dependency"]),
    ?assert(tree(Directory) =:= Installed),
    ?assertMatch({1, _}, tool(["install", Directory])),
    ?assert(tree(Directory) =:= Installed),
    {0, _} = tool(["uninstall", Directory]),
    ?assertEqual(Before, tree(Directory)).

%% Nothing is written where nothing can be done.
refusals() ->
    Strange = kem_test_lib:directory("strange"),
    [?assertMatch({1, <<_, _/binary>>}, tool([Command, Strange])) || Command <- ["install", "uninstall"]],
    ?assertEqual(#{}, tree(Strange)),
    ?assertMatch({1, _}, tool([])),
    ?assertMatch({1, _}, tool(["install", Strange, "otherwise"])),
    Other = checkout(#{"src/hb_opts.erl" => "-module(hb_opts).\n"}),
    Theirs = checkout(#{"src/dev_kem.erl" => "theirs"}),
    Clean = checkout(#{}),
    [begin
        Before = tree(Directory),
        ?assertMatch({1, _}, tool(Arguments)),
        ?assertEqual(Before, tree(Directory))
    end || {Directory, Arguments} <- [{Other, ["install", Other]}, {Theirs, ["install", Theirs, "dependency"]},
                                      {Clean, ["uninstall", Clean]}]].
