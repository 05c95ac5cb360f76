#!/usr/bin/env escript
%% Puts kem@1.0 into a HyperBEAM checkout, stock or forked, and takes it out again:
%%
%%     tools/hyperbeam.escript install DIR [dependency]     tools/hyperbeam.escript uninstall DIR
%%
%% Three edits, shown as a diff before they are made:
%%   1. src/hb_opts.erl: a row among the preloaded devices, where there is none for kem@1.0;
%%   2. rebar.config: two hooks before `compile', which build priv/kem_nif.so;
%%   3. the Erlang modules in src/, everything else in native/kem. A module that is there already, such as the
%%      fork's own dev_kem.erl, is kept in native/kem/replaced.
%% With `dependency' two: the row, and this project as a git dependency in rebar.config. Its own hooks build the library.
%% Lines that are added end with the mark below: uninstall removes them, whatever else has changed in these files.
%% Installing again brings the sources up to date and changes nothing else.
-module(hyperbeam).
-mode(compile).

-define(MARK, " % kem@1.0, by make install").
-define(TREES, ["native", "cmake", "kernels", "lua"]).
-define(FILES, ["CMakeLists.txt", "LICENSE"]).
-define(HOME, "native/kem").
-define(BUILD, "_build/kem").

main(["install", Directory]) -> change(Directory, fun install/1);
main(["install", Directory, "dependency"]) -> change(Directory, fun depend/1);
main(["uninstall", Directory]) -> change(Directory, fun uninstall/1);
main(_) -> fail("usage: hyperbeam.escript install DIR [dependency] | uninstall DIR", []).

change(Directory, Change) ->
    Checkout = filename:absname(Directory),
    lists:all(fun(File) -> filelib:is_regular(filename:join(Checkout, File)) end, ["src/hb_opts.erl", "rebar.config"])
        orelse fail("~ts is no HyperBEAM checkout: it has no src/hb_opts.erl and rebar.config", [Directory]),
    Change(Checkout).

%%% Installing.

install(Checkout) ->
    depends(Checkout) andalso fail("~ts has kem@1.0 as a dependency: uninstall it first", [Checkout]),
    Edits = edits(Checkout, fun device_row/1, fun hooks/1),
    Modules = modules(),
    Own = manifest(Checkout),
    Replaced = [Module || Module <- Modules, not lists:member(Module, Own),
                          filelib:is_regular(filename:join([Checkout, "src", Module]))],
    show(Edits),
    [io:format("replaces src/~ts (kept in ~ts/replaced)~n", [Module, ?HOME]) || Module <- Replaced],
    Added = Modules -- (Replaced ++ Own),
    Added =:= [] orelse io:format("adds src/: ~ts~n", [lists:join(" ", Added)]),
    io:format("~ts ~ts~n", [case Own of [] -> "adds"; _ -> "brings up to date:" end, ?HOME]),
    %% The checkout's own modules are kept before anything is written over them.
    [copy(filename:join([Checkout, "src", Module]), filename:join([Checkout, ?HOME, "replaced", Module])) ||
        Module <- Replaced],
    [bring(filename:join(project(), Tree), filename:join([Checkout, ?HOME, Tree])) || Tree <- ?TREES],
    [copy(filename:join(project(), File), filename:join([Checkout, ?HOME, File])) || File <- ?FILES],
    %% Modules of an older version that this one does not have.
    [ok = file:delete(filename:join([Checkout, "src", Module])) || Module <- Own -- Modules],
    [copy(filename:join([project(), "src", Module]), filename:join([Checkout, "src", Module])) || Module <- Modules],
    write(manifest_file(Checkout), [[Module, $\n] || Module <- Modules]),
    apply_edits(Edits),
    io:format("installed: now `rebar3 compile' in ~ts~n", [Checkout]).

%% As a dependency. Two applications with modules of the same names would be a matter of luck.
depend(Checkout) ->
    manifest(Checkout) =:= [] orelse fail("~ts has the sources of kem@1.0: uninstall them first", [Checkout]),
    case [Module || Module <- modules(), filelib:is_regular(filename:join([Checkout, "src", Module]))] of
        [] -> ok;
        Theirs -> fail("~ts has modules of these names: ~ts", [Checkout, lists:join(" ", Theirs)])
    end,
    Edits = edits(Checkout, fun device_row/1, fun dependency/1),
    show(Edits),
    apply_edits(Edits),
    io:format("installed: now `rebar3 compile' in ~ts~n", [Checkout]).

depends(Checkout) ->
    {ok, Text} = file:read_file(filename:join(Checkout, "rebar.config")),
    string:find(Text, "{kem, {git") =/= nomatch.

%% The commit that is checked out here; a later one after installing again.
dependency(Text) ->
    Row = ["    {kem, {git, \"file://", project(), "\", {ref, \"", commit(), "\"}}},", ?MARK, "\n"],
    insert_after(unicode:characters_to_binary(without_marked(Text)), "\n{deps, [\n", Row, "rebar.config has no list of dependencies").

commit() ->
    case string:trim(os:cmd("git -C '" ++ project() ++ "' rev-parse HEAD")) of
        Commit when length(Commit) =:= 40 -> Commit;
        Other -> fail("~ts is no git repository: ~ts", [project(), Other])
    end.

modules() ->
    lists:sort([filename:basename(File) || File <- filelib:wildcard(filename:join([project(), "src", "*.erl"]))]).

device_row(Text) ->
    case string:find(Text, "<<\"kem@1.0\">>") of
        nomatch ->
            Row = ["            #{<<\"name\">> => <<\"kem@1.0\">>, <<\"module\">> => dev_kem},", ?MARK, "\n"],
            insert_after(Text, "preloaded_devices => [\n", Row, "src/hb_opts.erl has no list of preloaded devices");
        _ ->
            Text
    end.

%% An older version's hooks give way to this one's.
hooks(Installed) ->
    Text = unicode:characters_to_binary(without_marked(Installed)),
    Rows = [["    {compile, \"", Command, "\"},", ?MARK, "\n"] || Command <- commands()],
    case string:find(Text, "\n{pre_hooks, [\n") of
        nomatch ->
            Last = string:replace(lists:last(Rows), "\"},", "\"}"),
            [Text, newline(Text), "{pre_hooks, [", ?MARK, "\n", lists:droplast(Rows), Last, "]}.", ?MARK, "\n"];
        _ ->
            insert_after(Text, "\n{pre_hooks, [\n", Rows, "")
    end.

newline(Text) -> case lists:last(unicode:characters_to_list(Text)) of $\n -> ""; _ -> "\n" end.

%% Two hooks: of commands joined by && rebar3 runs only the first.
commands() ->
    [
        "cmake -S native/kem -B " ?BUILD " --log-level=NOTICE -DCMAKE_BUILD_TYPE=Release -DKEM_TESTS=OFF"
        " -DKEM_CLI=OFF -DKEM_WERROR=OFF -DKEM_PRIV_DIR=${REBAR_ROOT_DIR}/priv",
        "cmake --build " ?BUILD " --target kem_nif --parallel $(nproc)"
    ].

insert_after(Text, Anchor, Rows, Missing) ->
    case string:split(Text, Anchor) of
        [Before, After] -> [Before, Anchor, Rows, After];
        [_] -> fail(Missing, [])
    end.

%%% Uninstalling.

uninstall(Checkout) ->
    Own = manifest(Checkout),
    Own =/= [] orelse depends(Checkout) orelse fail("kem@1.0 is not installed in ~ts", [Checkout]),
    Edits = edits(Checkout, fun without_marked/1, fun without_marked/1),
    show(Edits),
    [begin
        Target = filename:join([Checkout, "src", Module]),
        Kept = filename:join([Checkout, ?HOME, "replaced", Module]),
        case filelib:is_regular(Kept) of
            true -> io:format("restores src/~ts~n", [Module]), copy(Kept, Target);
            false -> io:format("removes src/~ts~n", [Module]), _ = file:delete(Target)
        end
    end || Module <- Own],
    Built = ["priv/kem_nif.so", "_build/default/lib/kem"],
    [begin
        io:format("removes ~ts~n", [Path]),
        remove(filename:join(Checkout, Path))
    end || Path <- [?HOME, ?BUILD | Built], exists(filename:join(Checkout, Path))],
    apply_edits(Edits),
    io:format("uninstalled~n").

without_marked(Text) ->
    [Line || Line <- re:split(Text, "(?<=\n)"), string:find(Line, ?MARK) =:= nomatch].

%%% Edits: {File, Old, New}.

edits(Checkout, Options, Rebar) ->
    [begin
        Path = filename:join(Checkout, File),
        {ok, Old} = file:read_file(Path),
        {Path, Old, unicode:characters_to_binary(Edit(Old))}
    end || {File, Edit} <- [{"src/hb_opts.erl", Options}, {"rebar.config", Rebar}]].

show(Edits) ->
    [begin
        New = filename:join(directory(), filename:basename(Path)),
        ok = file:write_file(New, Text),
        io:put_chars(os:cmd("diff -u --label '" ++ Path ++ "' --label '" ++ Path ++ "' '" ++ Path ++ "' '" ++ New ++ "'")),
        ok = file:delete(New)
    end || {Path, Old, Text} <- Edits, Old =/= Text].

directory() ->
    Directory = filename:join(os:getenv("TMPDIR", "/tmp"), "kem-install-" ++ os:getpid()),
    _ = file:make_dir(Directory),
    Directory.

apply_edits(Edits) ->
    [write(Path, New) || {Path, Old, New} <- Edits, Old =/= New],
    _ = file:del_dir(directory()),
    ok.

%%% Files.

project() -> filename:dirname(filename:dirname(filename:absname(escript:script_name()))).

manifest_file(Checkout) -> filename:join([Checkout, ?HOME, "installed.txt"]).

manifest(Checkout) ->
    case file:read_file(manifest_file(Checkout)) of
        {ok, Text} -> string:lexemes(unicode:characters_to_list(Text), "\n");
        {error, enoent} -> []
    end.

%% What is there already keeps its time, so that nothing is compiled anew for it.
copy(From, To) ->
    ok = filelib:ensure_dir(To),
    {ok, Content} = file:read_file(From),
    case file:read_file(To) of
        {ok, Content} -> ok;
        _ ->
            case file:write_file(To, Content) of
                ok -> ok;
                {error, Reason} -> fail("~ts cannot be written: ~ts", [To, file:format_error(Reason)])
            end
    end.

%% Makes the second tree the same as the first.
bring(From, To) ->
    Files = files(From),
    [ok = file:delete(filename:join(To, File)) || File <- files(To) -- Files],
    [copy(filename:join(From, File), filename:join(To, File)) || File <- Files].

files(Directory) ->
    [File || File <- filelib:wildcard("**", Directory), filelib:is_regular(filename:join(Directory, File))].

exists(Path) ->
    element(1, file:read_link_info(Path)) =:= ok.

remove(Path) ->
    case file:del_dir_r(Path) of
        ok -> ok;
        {error, Reason} -> fail("~ts cannot be removed: ~ts", [Path, file:format_error(Reason)])
    end.

write(Path, Text) ->
    ok = filelib:ensure_dir(Path),
    ok = file:write_file(Path, Text).

fail(Format, Arguments) ->
    io:format(standard_error, Format ++ "~n", Arguments),
    halt(1).
