%%% @doc The Kernel Execution Machine: runs WGSL compute kernels, named by their Arweave TXID or given as text,
%%% over bytes.
%%%
%%% ```
%%% 1> kem:run(<<"btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg">>, <<1, 3, 5, 7>>, #{}).
%%% {ok, <<2, 6, 10, 14>>}
%%% '''
%%%
%%% A kernel sees its input at binding 0 of group 0 (`var<storage, read>'), its output at binding 1
%%% (`var<storage, read_write>', zeros at first) and its params at binding 2 (`var<uniform>').
%%%
%%% Options, all with defaults:
%%% <ul>
%%%   <li>`output_size_hint': the output has so many times the input's bytes (1);</li>
%%%   <li>`output_size': or exactly so many bytes;</li>
%%%   <li>`dispatch': `linear', one invocation along x for every 4 bytes of output (the default); `grid', one for
%%%       every pixel, params words 0 and 1 being width and height; or `{X, Y, Z}' workgroups;</li>
%%%   <li>`params': the uniform's bytes;</li>
%%%   <li>`immediates': the first bytes of the kernel's `var<immediate>', whose others are zeros;</li>
%%%   <li>`entry_point': the kernel's function (main);</li>
%%%   <li>`constants': values of the kernel's pipeline-overridable constants, by name or `@id';</li>
%%%   <li>`output': a buffer that takes the output, instead of a binary;</li>
%%%   <li>`timeout': milliseconds that the job may take, fetch and compilation included (30,000);</li>
%%%   <li>`device': which of the engine's devices runs the call, counted from 0 as {@link stats/0} lists them (that on
%%%       which the least is in flight);</li>
%%%   <li>`image': true decodes an input that is PNG or JPEG to RGBA8 and encodes the output as PNG (false);</li>
%%%   <li>`report': true adds a report to the result (false).</li>
%%% </ul>
%%% A {@link buffer/1. buffer} is device memory that outlives calls: an input, or an output, in place of a binary. With
%%% buffers between them, several kernels run in one submission ({@link pipeline/2}), and nothing is copied back but
%%% what is asked for.
%%%
%%% Any other key, and any value of the wrong type or range, is `{error, {invalid_argument, Message}}'. Nothing
%%% here raises: see {@link kem_nif} for the functions that do, and {@link kem_config} for the configuration.
-module(kem).

-export([run/3, run/4, submit/3, submit/4, await/1, await/2, cancel/1, reference/1]).
-export([run_many/3, pipeline/2, buffer/1, buffer/2, read/1, read/3, write/3, size/1]).
-export([adapter_info/0, check/1, extensions/0, stats/0, configure/1, http_status/1]).

-type kernel() :: binary() | {source, binary()}.
%% A TXID, or WGSL.
-type options() :: #{
    output_size_hint => pos_integer(),
    output_size => pos_integer(),
    dispatch => linear | grid | {pos_integer(), pos_integer(), pos_integer()},
    params => binary(),
    immediates => binary(),
    entry_point => unicode:chardata() | atom(),
    constants => #{atom() | unicode:chardata() => number()},
    output => buffer(),
    timeout => pos_integer(),
    device => non_neg_integer(),
    image => boolean(),
    report => boolean()
}.
-opaque buffer() :: reference().
-type step() :: #{
    kernel := kernel(),
    input => binary() | buffer(),
    output => buffer(),
    output_size_hint => pos_integer(),
    output_size => pos_integer(),
    dispatch => linear | grid | {pos_integer(), pos_integer(), pos_integer()},
    params => binary(),
    immediates => binary(),
    entry_point => unicode:chardata() | atom(),
    constants => #{atom() | unicode:chardata() => number()}
} | {repeat, Times :: non_neg_integer(), [step()]}.
%% Options of a step have the meaning and the defaults of those of a call. A step without an input has a kernel that
%% does not use binding 0, and says how large its output is, as a kernel that changes a buffer in place.
-type stage() :: queue | fetch | front_end | spirv | pipeline | upload | execute | readback.
-type report() :: #{
    stages := #{stage() => non_neg_integer()},
    kernel_origin := binary(),
    warnings := binary(),
    device := non_neg_integer()
}.
%% Microseconds of each stage, zero where a cache answered; "cache", "store", "text" or a gateway; WGSL warnings; the
%% device that ran it.
-type class() ::
    invalid_argument | invalid_kernel_id | kernel_not_found | gateway_unavailable | kernel_unverified
    | kernel_too_large | invalid_kernel | unsupported_kernel | invalid_binding | invalid_input | invalid_params
    | input_too_large | output_too_large | no_device | device_lost | out_of_memory | timeout | cancelled
    | loop_budget_exhausted | io_error | internal | not_loaded.
-type reason() :: busy | {class(), Message :: binary()}.
-type result() :: {ok, Output :: binary()} | {ok, Output :: binary(), report()} | {error, reason()}.
-type buffer_result() :: {ok, Output :: buffer()} | {ok, Output :: buffer(), report()}.
%% Of a call with the option `output'.
-type results() :: {ok, Outputs :: [binary()]} | {ok, Outputs :: [binary()], report()} | {error, reason()}.
-type adapter() :: #{
    name := binary(), vendor := non_neg_integer(), device := non_neg_integer(), type := binary(),
    driver := binary(), driver_info := binary(), uuid := binary(), api_version := non_neg_integer(),
    index := non_neg_integer()
}.
-type extension() :: #{
    kind := enable | language, status := available | no_device | switched_off | unsupported, needs := binary()
}.
%% Whether kernels may use a WGSL extension; what of the device it needs, in words.
-opaque job() :: {kem_job, reference(), kem_nif:handle(), pos_integer()}.
-export_type([buffer/0, step/0, buffer_result/0, results/0]).
-export_type([kernel/0, options/0, stage/0, report/0, class/0, reason/0, result/0, adapter/0, extension/0, job/0]).

%%% Calls.

%% @doc Runs a kernel and waits for its output. `{ok, Output, Report}' if the option `report' is true. With the option
%% `output', a buffer, the output's size is that of the buffer, which is the result.
-spec run(kernel(), binary() | buffer(), options()) -> result() | buffer_result().
run(Kernel, Input, Options) ->
    guard(fun() -> kem_nif:call(Kernel, Input, Options) end).

%% @doc The same with the uniform's bytes beside the input.
-spec run(kernel(), binary() | buffer(), Params :: binary(), options()) -> result() | buffer_result().
run(Kernel, Input, Params, Options) ->
    case with_params(Params, Options) of
        {error, _} = Error -> Error;
        All -> run(Kernel, Input, All)
    end.

%% @doc Submits a job and returns at once. `{error, busy}' if the engine's queue is full. The result comes to the
%% calling process as the message `{kem, Reference, Result}', where Reference is {@link reference/1} of the job:
%% take it with {@link await/1}, or as any other message. The job ends when its process does.
-spec submit(kernel(), binary() | buffer(), options()) -> {ok, job()} | {error, reason()}.
submit(Kernel, Input, Options) ->
    guard(fun() ->
        Ref = make_ref(),
        case kem_nif:submit(Ref, Kernel, Input, Options) of
            {ok, Handle, TimeLimit} -> {ok, {kem_job, Ref, Handle, TimeLimit}};
            {error, _} = Error -> Error
        end
    end).

-spec submit(kernel(), binary() | buffer(), Params :: binary(), options()) ->
    {ok, job()} | {error, reason()}.
submit(Kernel, Input, Params, Options) ->
    case with_params(Params, Options) of
        {error, _} = Error -> Error;
        All -> submit(Kernel, Input, All)
    end.

%% @doc Waits for a job of the calling process, as long as the job's own time limit lets it run.
-spec await(job()) -> result() | buffer_result().
await({kem_job, _, _, TimeLimit} = Job) ->
    await(Job, TimeLimit + 1000).

%% @doc Waits at most so many milliseconds; a job that has not ended by then is cancelled, and the result is
%% `{error, {timeout, _}}'.
-spec await(job(), timeout()) -> result() | buffer_result().
await({kem_job, Ref, Handle, _} = Job, Timeout) ->
    case kem_nif:state_nif(Handle) of
        not_owner -> {error, {invalid_argument, <<"only the process that submitted a job can wait for it">>}};
        abandoned -> {error, {cancelled, <<"the job was cancelled">>}};
        sent -> take(Ref);
        sending ->
            % Its message may have been taken already, by a receive of the caller's own: not to be waited for.
            erlang:yield(),
            await(Job, Timeout);
        _ ->
            receive
                {kem, Ref, Result} -> Result
            after Timeout -> kem_nif:give_up(Handle, Ref)
            end
    end.

take(Ref) ->
    receive
        {kem, Ref, Result} -> Result
    after 0 -> {error, {invalid_argument, <<"the job's result has been taken already">>}}
    end.

%% @doc Ends a job. By the process that submitted it: no message of the job is left or will come. By another: the
%% submitter gets `{error, {cancelled, _}}'. No effect on a job that has ended, but for its unread message.
-spec cancel(job()) -> ok.
cancel({kem_job, Ref, Handle, _} = Job) ->
    case kem_nif:cancel_nif(Handle) of
        sending ->
            erlang:yield(),
            cancel(Job);
        sent ->
            _ = take(Ref),
            ok;
        _ ->
            ok
    end.

%% @doc The reference in the job's message.
-spec reference(job()) -> reference().
reference({kem_job, Ref, _, _}) -> Ref.

with_params(_, #{params := _}) -> {error, {invalid_argument, <<"'params' is given twice">>}};
with_params(Params, Options) when is_map(Options) -> Options#{params => Params};
with_params(_, Options) -> Options.

%%% Several calls at once.

%% @doc Runs a kernel over each of the inputs, in one submission: `{ok, Outputs}', as many and in the same order, or
%% the first error and no output. The time limit is that of all together; `image' and `output' are no options here.
-spec run_many(kernel(), [binary() | buffer()], options()) -> results().
run_many(Kernel, Inputs, Options) ->
    guard(fun() -> kem_nif:call(run_many_nif, Kernel, Inputs, Options) end).

%% @doc Runs the steps one after the other, in one submission; each sees what those before it wrote into the buffers.
%% `{repeat, Times, Steps}' is so many rounds of the steps, and costs no more to submit than one. The outputs are those
%% of the steps that have no buffer for it, in order. Options: `timeout', for all together, `device' and `report'.
%% A submission runs on one device: that of its buffers, which must be on the same one.
-spec pipeline([step()], #{timeout => pos_integer(), device => non_neg_integer(), report => boolean()}) -> results().
pipeline(Steps, Options) ->
    guard(fun() -> kem_nif:call(pipeline_nif, Steps, Options, none) end).

%%% Buffers.

%% @doc Device memory with these bytes, or so many zeros. It is freed when no process refers to it any more, some time
%% after the garbage collection; it ends with the engine and is lost with the device, and its use is an error then.
%%
%% Calls, reads and writes that use a buffer happen in the order in which they were submitted. After one that failed,
%% the bytes of the buffers that it was to write are any. A kernel sees a length that is no multiple of 4 as rounded up,
%% and may write there.
-spec buffer(binary() | pos_integer()) -> {ok, buffer()} | {error, reason()}.
buffer(Bytes) ->
    buffer(Bytes, #{}).

%% @doc The same. Option `size': so many bytes in all; what the binary does not fill is zeros. Option `device': on which
%% of the engine's devices, counted from 0 (that with the least bytes in buffers). What uses the buffer runs there.
-spec buffer(binary() | pos_integer(), #{size => pos_integer(), device => non_neg_integer()}) ->
    {ok, buffer()} | {error, reason()}.
buffer(Content, #{device := Device} = Options) when is_integer(Device) ->
    buffer(Content, maps:remove(device, Options), Device);
buffer(Content, Options) ->
    buffer(Content, Options, all).

buffer(Content, Options, Device) ->
    case buffer_size(Content, Options) of
        {error, _} = Error -> Error;
        Size -> guard(fun() -> fill(make_buffer({buffer, Size, Device}), Content) end)
    end.

buffer_size(Content, #{size := Size} = Options) when is_binary(Content), map_size(Options) =:= 1 ->
    case is_integer(Size) andalso Size >= byte_size(Content) of
        true -> Size;
        false -> {error, {invalid_argument, <<"'size' must be an integer, at least the number of bytes">>}}
    end;
buffer_size(Content, Options) when Options =:= #{} ->
    if
        is_binary(Content) -> byte_size(Content);
        true -> Content
    end;
buffer_size(_, _) ->
    {error, {invalid_argument, <<"a buffer's options are a map that may have 'device', a number, and, if it is made of "
                                 "a binary, 'size'">>}}.

%% What this process no longer refers to may be what fills the memory. The VM lets go of it some time after the
%% collection, when the scheduler has a moment.
make_buffer(Question) ->
    case kem_nif:ask(Question) of
        {error, {out_of_memory, _}} ->
            true = erlang:garbage_collect(),
            make_buffer(Question, [1, 4, 16, 64, 256]);
        Result ->
            Result
    end.

make_buffer(Question, [Wait | Longer]) ->
    ok = timer:sleep(Wait),
    case kem_nif:ask(Question) of
        {error, {out_of_memory, _}} when Longer =/= [] -> make_buffer(Question, Longer);
        Result -> Result
    end.

fill({ok, Buffer}, Bytes) when is_binary(Bytes) ->
    case write(Buffer, 0, Bytes) of
        ok -> {ok, Buffer};
        {error, _} = Error -> Error
    end;
fill(Result, _) ->
    Result.

%% @doc A buffer's bytes.
-spec read(buffer()) -> {ok, binary()} | {error, reason()}.
read(Buffer) ->
    read(Buffer, 0, all).

%% @doc So many of them.
-spec read(buffer(), Offset :: non_neg_integer(), Length :: non_neg_integer() | all) ->
    {ok, binary()} | {error, reason()}.
read(Buffer, Offset, Length) ->
    guard(fun() -> kem_nif:call(read_nif, Buffer, Offset, Length) end).

%% @doc Writes bytes into a buffer; the others stay.
-spec write(buffer(), Offset :: non_neg_integer(), binary()) -> ok | {error, reason()}.
write(Buffer, Offset, Bytes) ->
    guard(fun() -> kem_nif:call(write_nif, Buffer, Offset, Bytes) end).

%% @doc How many bytes a buffer has.
-spec size(buffer()) -> pos_integer() | {error, reason()}.
size(Buffer) ->
    guard(fun() -> kem_nif:size_nif(Buffer) end).

%%% The engine.

%% @doc The GPU that kernels run on; of several the first.
-spec adapter_info() -> {ok, adapter()} | {error, reason()}.
adapter_info() ->
    guard(fun() -> kem_nif:ask(adapter) end).

%% @doc Checks a WGSL module: `{ok, Warnings}', or `{error, {invalid_kernel, Diagnostics}}'.
-spec check(binary()) -> {ok, Warnings :: binary()} | {error, reason()}.
check(Wgsl) ->
    guard(fun() -> kem_nif:ask({check, Wgsl}) end).

%% @doc WGSL's enable-extensions and language extensions by name, and whether kernels may use each on this device.
-spec extensions() -> {ok, #{binary() => extension()}} | {error, reason()}.
extensions() ->
    guard(fun() -> kem_nif:ask(extensions) end).

%% @doc Counters of the engine: jobs_done, jobs_failed, queued (waiting or running), cached_programs, cached_pipelines,
%% in_flight_bytes, resident_bytes, device_bytes (what the engine has allocated on its devices); where the drivers tell
%% them, of the devices' own memory, device_used_bytes (what the whole process has of it) and device_budget_bytes (what
%% it may have). And `devices', those that calls are spread over, in the order in which the option `device' counts them:
%% name, index among the node's adapters, open, jobs_in_flight, in_flight_bytes, jobs_done, resident_bytes, losses (how
%% often it was lost, and opened anew). The list is empty before the devices are chosen.
-spec stats() -> {ok, #{devices := [#{atom() => term()}], atom() => non_neg_integer() | [map()]}} | {error, reason()}.
stats() ->
    guard(fun() -> kem_nif:ask(stats) end).

%% @doc Starts the engine with settings of the caller's; see {@link kem_config}. The first call does it with those
%% of the application's environment, so this one must come before.
-spec configure(#{atom() => term()}) -> ok | {error, already_running | reason()}.
configure(Settings) ->
    case guard(fun() -> kem_config:start(Settings) end) of
        already_running -> {error, already_running};
        Result -> Result
    end.

%% @doc The status that an HTTP server answers for a failure.
-spec http_status(reason()) -> 400..599.
http_status(busy) -> 503;
http_status({Class, _}) ->
    case Class of
        invalid_argument -> 400;
        invalid_kernel_id -> 400;
        kernel_not_found -> 404;
        gateway_unavailable -> 502;
        kernel_unverified -> 422;
        kernel_too_large -> 413;
        invalid_kernel -> 400;
        unsupported_kernel -> 501;
        invalid_binding -> 400;
        invalid_input -> 400;
        invalid_params -> 400;
        input_too_large -> 413;
        output_too_large -> 413;
        no_device -> 503;
        device_lost -> 503;
        out_of_memory -> 503;
        timeout -> 504;
        cancelled -> 503;
        loop_budget_exhausted -> 422;
        not_loaded -> 503;
        io_error -> 500;
        internal -> 500
    end.

guard(Function) ->
    try
        Function()
    catch
        error:{not_loaded, Message} -> {error, {not_loaded, Message}}
    end.
