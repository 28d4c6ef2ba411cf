/** The log-in. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type SessionState, session, toApiError } from './api.ts';
import { Button, ErrorBox, Form, Notice, TextField } from './components/index.ts';

interface LogInProps {
  readonly oneClick: boolean;
  readonly byAdminToken?: true;
  /** The session before has ended. */
  readonly hasEnded: boolean;
  readonly onLogIn: (state: SessionState) => void;
}

type Kind = 'password' | 'apiKey';

export function LogInPage({ oneClick, byAdminToken, hasEnded, onLogIn }: LogInProps) {
  const [kind, setKind] = useState<Kind>(byAdminToken ? 'apiKey' : 'password');
  const [username, setUsername] = useState('');
  const [secret, setSecret] = useState('');
  const [code, setCode] = useState('');
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const card = useRef<HTMLDivElement>(null);
  const focus = (selector: string): void => card.current?.querySelector<HTMLElement>(selector)?.focus();
  useLayoutEffect(
    () => focus(oneClick ? '.one-click button' : byAdminToken ? '[name=secret]' : '[name=username]'),
    [oneClick],
  );
  const logIn = async (given: Parameters<typeof session.logIn>[0]): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      onLogIn(await session.logIn(given));
    } catch (thrown) {
      setError(explain(thrown));
      setBusy(false);
      focus('[name=secret]');
    }
  };
  const submit = (): void => {
    if (!isBusy)
      void logIn(kind === 'password' ? { username, secret, ...(code !== '' && { code }) } : { apiKey: secret });
  };
  return (
    <main class="log-in">
      <div class="log-in-card" ref={card}>
        <h1>
          <Logo /> Triglyph console
        </h1>
        {hasEnded && <Notice>Your session has ended. Log in again.</Notice>}
        <ErrorBox error={error} hasHelp={false} />
        {oneClick && (
          <div class="one-click">
            <p>This is a demo. Its credentials are public, and its data are samples.</p>
            <Button kind="primary" isBusy={isBusy} onClick={() => void logIn({ oneClick: true })}>
              Enter the demo
            </Button>
          </div>
        )}
        <Form onSubmit={submit}>
          {oneClick && <p class="hint">Or log in with a credential:</p>}
          <fieldset class="choices">
            <legend class="offscreen">Kind of credential</legend>
            {(['password', 'apiKey'] as const).map((each) => (
              <label key={each}>
                <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
                {each === 'password' ? 'Username and password' : 'API key'}
              </label>
            ))}
          </fieldset>
          {kind === 'password' && (
            <TextField
              label="Username"
              name="username"
              autocomplete="username"
              value={username}
              onInput={setUsername}
              required
            />
          )}
          <TextField
            label={kind === 'password' ? 'Password' : 'API key'}
            type="password"
            name="secret"
            autocomplete="current-password"
            value={secret}
            onInput={setSecret}
            required
          />
          {kind === 'password' && (
            <TextField
              label="One-time code"
              name="code"
              autocomplete="one-time-code"
              hint="Of your app, or a recovery code. Leave it empty where you have no second factor."
              value={code}
              onInput={setCode}
            />
          )}
          <Button kind={oneClick ? 'plain' : 'primary'} type="submit" isBusy={isBusy}>
            Log in
          </Button>
          <p class="hint">
            {byAdminToken
              ? 'This gateway has no database. The API key of its console is ADMIN_TOKEN.'
              : 'The credential needs the role console, or console-admin to act; for one tenant, console-tenant or console-tenant-admin.'}
          </p>
        </Form>
      </div>
    </main>
  );
}

/** The server says the same for a wrong name, a wrong secret and a wrong code. */
function explain(thrown: unknown): ApiError {
  const error = toApiError(thrown);
  if (error.status === 401)
    return new ApiError(401, 'The credential is unknown, or its secret or one-time code is wrong.');
  if (error.status === 403) return new ApiError(403, 'This credential has no role for the console.');
  if (error.status === 429)
    return new ApiError(429, `After many wrong log-ins, none is checked for a while. ${error.message}`);
  return error;
}

/** The mark of the program: three bars under a beam. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <path d="M3 4h26v4H3zM5 11h6v17H5zm8 0h6v17h-6zm8 0h6v17h-6z" fill="currentColor" />
    </svg>
  );
}
