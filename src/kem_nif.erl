%%% @doc The native library `kem_nif.so', and the four functions that callers of the Rust device know.
%%%
%%% `hello/0', `adapter_info/0', `execute_kernel/3' and `execute_kernel_with_params/3' raise an `error' exception
%%% whose term is that of {@link kem:run/3}: `{Class, Message}', or `busy'. New code is better served by {@link kem}.
%%%
%%% A native function takes microseconds. Work is submitted under a fresh reference and its result comes as the
%%% message `{kem, Reference, Result}' from a thread of the library; the functions here submit, receive, and give up
%%% when the time is over. A synchronous call of a small kernel that is known to be short waits for its result inside
%%% the native function, at most 100 us: sending the process to sleep and waking it would take longer.
%%%
%%% The library is looked for, in this order, at `KEM_NIF_PATH' (a file, with or without `.so'; if it is set,
%%% nothing else is tried), in the `priv' directory of the applications `kem' and `hb', in `../priv' beside this
%%% module's object code, and in `priv' in the current directory. Where none of them loads, this module does
%%% anyway, and every call raises `{not_loaded, Message}' with all paths and what was wrong with each.
-module(kem_nif).

-export([hello/0, adapter_info/0, execute_kernel/3, execute_kernel_with_params/3]).
%% For the modules of this application.
-export([call/3, call/4, submit/4, ask/1, give_up/2, library/0]).
-export([run_nif/4, configure_nif/2, running_nif/0, variables_nif/0, cancel_nif/1, state_nif/1, size_nif/1]).
-export([measure_empty_submit/1]).

-nifs([hello/0, configure_nif/2, running_nif/0, variables_nif/0]).
-nifs([submit_nif/4, run_nif/4, cancel_nif/1, state_nif/1, ask_nif/2]).
-nifs([run_many_nif/4, pipeline_nif/3, read_nif/4, write_nif/4, size_nif/1]).
-on_load(init/0).

%% How much later than its time limit a job may answer before it is given up: the engine ends jobs itself, but
%% not one that hangs inside a driver.
-define(GRACE, 1000).
-define(NOT_LOADED, {?MODULE, not_loaded}).
-define(LIBRARY, {?MODULE, library}).

-type handle() :: reference().
-type job_state() :: running | sending | sent | abandoned.
-type job_nif() :: run_nif | submit_nif | run_many_nif | pipeline_nif | read_nif | write_nif.
-export_type([handle/0]).

%%% The contract.

%% @doc `<<"Hello world!">>': the library is loaded.
-spec hello() -> binary().
hello() ->
    erlang:nif_error(why_not_loaded()).

%% @doc The GPU that kernels run on, as JSON with the keys name, vendor, device, driver, backend, driver_info.
-spec adapter_info() -> binary().
adapter_info() ->
    #{name := Name, vendor := Vendor, device := Device, driver := Driver, driver_info := DriverInfo} =
        value(ask(adapter)),
    json_object([{<<"name">>, Name}, {<<"vendor">>, Vendor}, {<<"device">>, Device}, {<<"driver">>, Driver},
                 {<<"backend">>, <<"vulkan">>}, {<<"driver_info">>, DriverInfo}]).

%% @doc Runs a kernel over the input; the output has byte_size(Input) * OutputSizeHint bytes.
-spec execute_kernel(binary(), binary(), pos_integer()) -> binary().
execute_kernel(KernelId, Input, OutputSizeHint) ->
    value(call(KernelId, Input, #{output_size_hint => OutputSizeHint})).

%% @doc Runs a kernel over a grid: words 0 and 1 of the uniform Params are its width and height. A PNG or JPEG
%% input is decoded to RGBA8 and the output comes back as PNG; any other input is taken as raw bytes.
-spec execute_kernel_with_params(binary(), binary(), binary()) -> binary().
execute_kernel_with_params(KernelId, Input, Params) ->
    value(call(KernelId, Input, #{params => Params, dispatch => grid, image => true})).

%%% Submit, wait, give up.

%% @private The synchronous call behind {@link kem:run/3} and the contract's functions.
-spec call(term(), term(), term()) -> kem:result() | {ok, kem:buffer()} | {ok, kem:buffer(), kem:report()}.
call(Kernel, Input, Options) ->
    call(run_nif, Kernel, Input, Options).

%% @private The same for any native function that starts a job, with its arguments but the reference.
-spec call(job_nif(), term(), term(), term()) -> ok | {ok, term()} | {ok, term(), kem:report()} | {error, kem:reason()}.
call(Nif, A, B, C) ->
    Ref = make_ref(),
    case start(Nif, Ref, A, B, C) of
        {done, Result} ->
            Result;
        {ok, Handle, TimeLimit} ->
            receive
                {kem, Ref, Result} -> Result
            after TimeLimit + ?GRACE -> give_up(Handle, Ref)
            end;
        {error, _} = Error ->
            Error
    end.

%% @private Submits a job whose result comes as `{kem, Ref, Result}'; starts the engine if nothing has yet.
-spec submit(reference(), term(), term(), term()) -> {ok, handle(), pos_integer()} | {error, kem:reason()}.
submit(Ref, Kernel, Input, Options) ->
    start(submit_nif, Ref, Kernel, Input, Options).

start(Nif, Ref, A, B, C) ->
    case start_nif(Nif, Ref, A, B, C) of
        unconfigured ->
            case kem_config:start(#{}) of
                {error, {_, _}} = Error -> Error;
                _ -> start(Nif, Ref, A, B, C)
            end;
        Started ->
            Started
    end.

%% By name: a fun would be one of the newest code as soon as that is there, before its library is loaded.
start_nif(run_nif, Ref, Kernel, Input, Options) -> run_nif(Ref, Kernel, Input, Options);
start_nif(submit_nif, Ref, Kernel, Input, Options) -> submit_nif(Ref, Kernel, Input, Options);
start_nif(run_many_nif, Ref, Kernel, Inputs, Options) -> run_many_nif(Ref, Kernel, Inputs, Options);
start_nif(pipeline_nif, Ref, Steps, Options, none) -> pipeline_nif(Ref, Steps, Options);
start_nif(read_nif, Ref, Buffer, Offset, Length) -> read_nif(Ref, Buffer, Offset, Length);
start_nif(write_nif, Ref, Buffer, Offset, Bytes) -> write_nif(Ref, Buffer, Offset, Bytes).

%% @private Abandons a job of the calling process. No message of it is left or will come: the result is
%% `{error, {timeout, _}}', or the job's own if that came first.
-spec give_up(handle(), reference()) -> ok | {ok, term()} | {ok, term(), kem:report()} | {error, kem:reason()}.
give_up(Handle, Ref) ->
    case cancel_nif(Handle) of
        abandoned ->
            {error, {timeout, <<"the job did not end within its time limit">>}};
        sending ->
            erlang:yield(),
            give_up(Handle, Ref);
        sent ->
            receive
                {kem, Ref, Result} -> Result
            end;
        {error, _} = Error ->
            Error  % a job of a library that has been replaced since
    end.

%% @private Puts a question to the engine that may take it a while: adapter, adapters, stats, extensions, {check, Wgsl},
%% {compile, Kernel} (what native/nif/inspect.h tells of a kernel),
%% {measure_empty_submit, Rounds}, {buffer, Bytes, Device | all}.
-spec ask(term()) -> {ok, term()} | {error, kem:reason()}.
ask(Question) ->
    Ref = make_ref(),
    case ask_nif(Ref, Question) of
        ok ->
            receive
                {kem, Ref, Answer} -> Answer
            end;
        unconfigured ->
            case kem_config:start(#{}) of
                {error, {_, _}} = Error -> Error;
                _ -> ask(Question)
            end;
        {error, _} = Error ->
            Error
    end.

%% @doc The time of an empty submit to the GPU and the wait for it, in nanoseconds, the median of so many: the
%% floor that a warm call is compared with.
-spec measure_empty_submit(pos_integer()) -> non_neg_integer().
measure_empty_submit(Rounds) ->
    value(ask({measure_empty_submit, Rounds})).

value({ok, Value}) -> Value;
value({error, Reason}) -> error(Reason).

%%% JSON, as much as adapter_info/0 needs.

json_object(Pairs) ->
    Members = [[$", Key, $", $:, json_value(Value)] || {Key, Value} <- Pairs],
    iolist_to_binary([${, lists:join($,, Members), $}]).

json_value(Number) when is_integer(Number) -> integer_to_binary(Number);
json_value(Text) when is_binary(Text) -> [$", [json_byte(Byte) || <<Byte>> <= Text], $"].

json_byte($") -> "\\\"";
json_byte($\\) -> "\\\\";
json_byte(Byte) when Byte < 32 -> io_lib:format("\\u~4.16.0b", [Byte]);
json_byte(Byte) -> Byte.

%%% Loading.

%% @private The path of the loaded library, without `.so'; undefined if none is loaded.
-spec library() -> file:filename() | undefined.
library() ->
    persistent_term:get(?LIBRARY, undefined).

init() ->
    load(candidates(), []).

load([Path | Rest], Failures) ->
    case load_library(Path) of
        ok ->
            persistent_term:erase(?NOT_LOADED),
            persistent_term:put(?LIBRARY, Path),
            ok;
        {error, Why} ->
            load(Rest, [[Path, ".so: ", Why] | Failures])
    end;
load([], Failures) ->
    Message = ["kem_nif.so is not loaded; tried ", lists:join("; ", lists:reverse(Failures))],
    persistent_term:put(?NOT_LOADED, unicode:characters_to_binary(Message)),
    ok.

load_library(Path) ->
    case filelib:is_regular(Path ++ ".so") of
        false ->
            {error, "no such file"};
        true ->
            case erlang:load_nif(Path, 0) of
                ok -> ok;
                {error, {_, Text}} -> {error, Text}
            end
    end.

candidates() ->
    case os:getenv("KEM_NIF_PATH") of
        Path when is_list(Path), Path =/= "" ->
            [filename:rootname(Path, ".so")];
        _ ->
            Directories = priv_dir(kem) ++ priv_dir(hb) ++ beside_module() ++ ["priv"],
            [filename:absname(filename:join(Directory, "kem_nif")) || Directory <- Directories]
    end.

priv_dir(Application) ->
    case code:priv_dir(Application) of
        {error, bad_name} -> [];
        Directory -> [Directory]
    end.

beside_module() ->
    case code:which(?MODULE) of
        Path when is_list(Path), Path =/= "" -> [filename:join([filename:dirname(Path), "..", "priv"])];
        _ -> []
    end.

why_not_loaded() ->
    {not_loaded, persistent_term:get(?NOT_LOADED, <<"kem_nif.so is not loaded">>)}.

%%% Native functions; native/nif/nif.cc.

%% @private Starts the engine. Variables: see kem_config.
-spec configure_nif(#{binary() => binary()}, unicode:chardata()) -> ok | already_running | {error, kem:reason()}.
configure_nif(_Variables, _DefaultStore) ->
    erlang:nif_error(why_not_loaded()).

-spec running_nif() -> boolean().
running_nif() ->
    erlang:nif_error(why_not_loaded()).

%% @private The names of the environment variables that configure the engine.
-spec variables_nif() -> [binary()].
variables_nif() ->
    erlang:nif_error(why_not_loaded()).

-spec submit_nif(reference(), term(), term(), term()) ->
    {ok, handle(), pos_integer()} | unconfigured | {error, kem:reason()}.
submit_nif(_Ref, _Kernel, _Input, _Options) ->
    erlang:nif_error(why_not_loaded()).

%% @private The same for a caller that will wait: a short job's result may come at once.
-spec run_nif(reference(), term(), term(), term()) ->
    {done, kem:result()} | {ok, handle(), pos_integer()} | unconfigured | {error, kem:reason()}.
run_nif(_Ref, _Kernel, _Input, _Options) ->
    erlang:nif_error(why_not_loaded()).

%% @private Steps that need nothing of each other, one for each input.
-spec run_many_nif(reference(), term(), term(), term()) ->
    {done, term()} | {ok, handle(), pos_integer()} | unconfigured | {error, kem:reason()}.
run_many_nif(_Ref, _Kernel, _Inputs, _Options) ->
    erlang:nif_error(why_not_loaded()).

-spec pipeline_nif(reference(), term(), term()) ->
    {done, term()} | {ok, handle(), pos_integer()} | unconfigured | {error, kem:reason()}.
pipeline_nif(_Ref, _Steps, _Options) ->
    erlang:nif_error(why_not_loaded()).

-spec read_nif(reference(), term(), term(), term()) ->
    {ok, handle(), pos_integer()} | unconfigured | {error, kem:reason()}.
read_nif(_Ref, _Buffer, _Offset, _Length) ->
    erlang:nif_error(why_not_loaded()).

-spec write_nif(reference(), term(), term(), term()) ->
    {ok, handle(), pos_integer()} | unconfigured | {error, kem:reason()}.
write_nif(_Ref, _Buffer, _Offset, _Bytes) ->
    erlang:nif_error(why_not_loaded()).

-spec size_nif(term()) -> pos_integer() | {error, kem:reason()}.
size_nif(_Buffer) ->
    erlang:nif_error(why_not_loaded()).

%% @private By the owner: abandons the job unless its message is `sending' or `sent'. By another process: asks
%% the engine to end it, if `running'; the owner gets `{error, {cancelled, _}}'.
-spec cancel_nif(handle()) -> job_state() | {error, kem:reason()}.
cancel_nif(_Handle) ->
    erlang:nif_error(why_not_loaded()).

-spec state_nif(handle()) -> job_state() | not_owner | {error, kem:reason()}.
state_nif(_Handle) ->
    erlang:nif_error(why_not_loaded()).

-spec ask_nif(reference(), term()) -> ok | unconfigured | {error, kem:reason()}.
ask_nif(_Ref, _Question) ->
    erlang:nif_error(why_not_loaded()).
