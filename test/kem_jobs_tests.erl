%%% @doc Jobs: waiting, cancelling, dying owners, full queues, many callers; no message is ever left behind.
-module(kem_jobs_tests).

-include_lib("eunit/include/eunit.hrl").

-import(kem_test_lib, [kernel/1, flush/0]).

jobs_test_() ->
    {setup, fun kem_test_lib:start/0, kem_test_lib:patient([
        fun submit/0, fun patient_calls/0, fun message/0, fun two_awaits/0, fun cancel_own/0, fun cancel_ended/0,
        fun cancel_by_another/0, fun await_by_another/0, fun await_timeout/0, fun time_limit/0,
        fun options_are_checked/0, fun caller_death/0, fun concurrency/0, fun busy/0
    ])}.

%% Some seconds of work, in many short pieces: it can be ended at any time.
slow(Options) ->
    kem:submit(kernel(slow), binary:copy(<<1, 2, 3, 4>>, 1000000), Options).

submit() ->
    {ok, Job} = kem:submit(kernel(double), <<1, 3, 5, 7>>, #{}),
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:await(Job)),
    Params = <<1:32/little, 1:32/little, 1:32/little, 3:32/little>>,
    {ok, WithParams} = kem:submit(kernel(add_params), <<5:32/little>>, Params, #{dispatch => grid}),
    ?assertEqual({ok, <<16:32/little>>}, kem:await(WithParams, 10000)),
    {ok, WithReport} = kem:submit(kernel(double), <<1, 3, 5, 7>>, #{report => true}),
    ?assertMatch({ok, <<2, 6, 10, 14>>, #{stages := _}}, kem:await(WithReport)),
    {ok, Failing} = kem:submit(kernel(syntax_error), <<1, 3, 5, 7>>, #{}),
    ?assertMatch({error, {invalid_kernel, _}}, kem:await(Failing)),
    ?assertEqual([], flush()).

%% A synchronous call of a short kernel gets its result from the native function, mostly; the same result as otherwise.
patient_calls() ->
    Results = [patient(kernel(double)) || _ <- lists:seq(1, 500)],
    ?assertEqual([{ok, <<2, 6, 10, 14>>}], lists:usort([Result || {_, Result} <- Results])),
    ?assert(lists:keymember(done, 1, Results)),
    ?assertMatch({sent, {error, {invalid_kernel, _}}}, patient(kernel(syntax_error))),
    ?assertEqual([], flush()).

patient(Kernel) ->
    Ref = make_ref(),
    case kem_nif:run_nif(Ref, Kernel, <<1, 3, 5, 7>>, #{}) of
        {done, Result} -> {done, Result};
        {ok, _, _} ->
            receive
                {kem, Ref, Result} -> {sent, Result}
            end
    end.

message() ->
    % Often, as the library marks the job as ended only after it has sent the message.
    [taken_message() || _ <- lists:seq(1, 300)],
    ?assertEqual([], flush()).

taken_message() ->
    {ok, Job} = kem:submit(kernel(double), <<1, 3, 5, 7>>, #{}),
    Ref = kem:reference(Job),
    receive
        {kem, Ref, Result} -> ?assertEqual({ok, <<2, 6, 10, 14>>}, Result)
    end,
    ?assertMatch({error, {invalid_argument, _}}, kem:await(Job)).

two_awaits() ->
    {ok, Job} = kem:submit(kernel(double), <<1, 3, 5, 7>>, #{}),
    ?assertMatch({ok, _}, kem:await(Job)),
    ?assertMatch({error, {invalid_argument, _}}, kem:await(Job)).

cancel_own() ->
    {ok, Job} = slow(#{}),
    ?assertEqual(ok, kem:cancel(Job)),
    ?assertMatch({error, {cancelled, _}}, kem:await(Job)),
    ?assertEqual(ok, kem:cancel(Job)),
    ?assertEqual([], flush()).

cancel_ended() ->
    [begin
        {ok, Job} = kem:submit(kernel(double), <<1, 3, 5, 7>>, #{}),
        timer:sleep(Wait),
        ok = kem:cancel(Job)
    end || Wait <- [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 5, 20]],
    ?assertEqual([], flush()).

cancel_by_another() ->
    {ok, Job} = slow(#{}),
    Parent = self(),
    _ = spawn_link(fun() -> Parent ! {cancelled, kem:cancel(Job)} end),
    ?assertMatch({error, {cancelled, _}}, kem:await(Job)),
    ?assertEqual([{cancelled, ok}], flush()).

await_by_another() ->
    {ok, Job} = kem:submit(kernel(double), <<1, 3, 5, 7>>, #{}),
    Parent = self(),
    _ = spawn_link(fun() -> Parent ! {awaited, kem:await(Job)} end),
    receive
        {awaited, Result} -> ?assertMatch({error, {invalid_argument, _}}, Result)
    end,
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:await(Job)).

await_timeout() ->
    {ok, Job} = slow(#{}),
    ?assertMatch({error, {timeout, _}}, kem:await(Job, 10)),
    ?assertMatch({error, {cancelled, _}}, kem:await(Job)),
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:run(kernel(double), <<1, 3, 5, 7>>, #{})),
    ?assertEqual([], flush()).

time_limit() ->
    Input = binary:copy(<<1, 2, 3, 4>>, 1000000),
    ?assertMatch({error, {timeout, _}}, kem:run(kernel(slow), Input, #{timeout => 20})),
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:run(kernel(double), <<1, 3, 5, 7>>, #{})),
    ?assertEqual([], flush()).

options_are_checked() ->
    ?assertMatch({error, {invalid_argument, _}}, kem:submit(kernel(double), <<1>>, #{no => option})),
    ?assertMatch({error, {invalid_argument, _}}, kem:submit(kernel(double), <<1>>, <<>>, #{params => <<>>})),
    ?assertMatch({error, {invalid_argument, _}}, kem:submit(double, <<1>>, #{})).

%% A job whose owner dies ends: nothing is left in the queue after far less time than it would have taken.
caller_death() ->
    {Pid, Monitor} = spawn_monitor(fun() ->
        {ok, _} = slow(#{}),
        {ok, _} = slow(#{}),
        receive
            never -> ok
        end
    end),
    timer:sleep(50),
    {ok, #{queued := Queued}} = kem:stats(),
    ?assert(Queued > 0),
    exit(Pid, kill),
    receive
        {'DOWN', Monitor, process, Pid, killed} -> ok
    end,
    ?assertEqual({ok, <<2, 6, 10, 14>>}, kem:run(kernel(double), <<1, 3, 5, 7>>, #{})),
    ?assertEqual(ok, await_idle(1000)).

await_idle(0) ->
    kem:stats();
await_idle(Tries) ->
    case kem:stats() of
        {ok, #{queued := 0}} ->
            ok;
        _ ->
            timer:sleep(10),
            await_idle(Tries - 1)
    end.

%% 64 processes, each with its own bytes, some of them with errors between the calls.
concurrency() ->
    Workers = [spawn_monitor(fun() -> worker(Number) end) || Number <- lists:seq(1, 64)],
    Ends = [receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end || {Pid, Monitor} <- Workers],
    ?assertEqual([normal], lists:usort(Ends)).

worker(Number) ->
    [begin
        Words = lists:seq(Number, Number + Round),
        Input = << <<Word:32/little>> || Word <- Words >>,
        Expected = << <<(2 * Word):32/little>> || Word <- Words >>,
        {ok, Expected} = kem:run(kernel(double), Input, #{}),
        {error, {invalid_kernel, _}} = kem:run(kernel(syntax_error), Input, #{}),
        Expected = kem_nif:execute_kernel(kernel(double), Input, 1)
    end || Round <- lists:seq(1, 20)],
    [] = flush().

%% The queue's length is a matter of configuration, so in a VM of its own.
busy() ->
    Environment = [{"KEM_QUEUE_LENGTH", "2"}],
    {ok, {Accepted, Refused, Raised, After}} = kem_test_lib:child(Environment, "
        ok = kem_test_lib:start(),
        Input = binary:copy(<<1, 2, 3, 4>>, 1000000),
        Kernel = kem_test_lib:kernel(slow),
        Jobs = [kem:submit(Kernel, Input, #{}) || _ <- lists:seq(1, 6)],
        Raised = (catch kem_nif:execute_kernel(Kernel, Input, 1)),
        Running = [Job || {ok, Job} <- Jobs],
        [ok = kem:cancel(Job) || Job <- Running],
        Try = fun Try(0) -> gave_up;
                  Try(Left) ->
                      case kem:run(kem_test_lib:kernel(double), <<1>>, #{}) of
                          {error, busy} -> timer:sleep(10), Try(Left - 1);
                          Result -> Result
                      end
              end,
        {length(Running), [E || {error, E} <- Jobs], Raised, Try(1000)}"),
    ?assertEqual(2, Accepted),
    ?assertEqual([busy, busy, busy, busy], Refused),
    ?assertMatch({'EXIT', {busy, _}}, Raised),
    ?assertEqual({ok, <<2>>}, After).
