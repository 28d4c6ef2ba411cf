/** The page: the log-in, or the navigation with the view that the address names. */
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type LoggedIn, onOtherTab, onSessionEnd, type SessionState, session, toApiError } from './api.ts';
import {
  Badge,
  Button,
  Credential,
  Empty,
  ErrorBox,
  Loading,
  OfAllTenants,
  Page,
  type ViewProps,
} from './components/index.ts';
import { LogInPage, Logo } from './log-in.tsx';
import { Link, useRoute } from './routing.tsx';
import { useSearch } from './search.tsx';
import { type View, views } from './views.ts';

export function App() {
  const [state, setState] = useState<SessionState>();
  const [error, setError] = useState<ApiError>();
  const [hasEnded, setEnded] = useState(false);
  const person = useRef<string | undefined>(undefined);
  const enter = (found: SessionState): void => {
    const { credential = person.current } = found.session ?? {};
    // What the page remembers of one person is not for another.
    if (person.current !== undefined && credential !== person.current) location.reload();
    person.current = credential;
    setEnded(false);
    setState(found);
  };
  useEffect(() => {
    const end = (): void => {
      setEnded(person.current !== undefined);
      setState(withoutSession);
    };
    const fail = (thrown: unknown): void => setError(toApiError(thrown));
    onSessionEnd(end);
    // Where no answer comes, the next request tells whether there is a session.
    const follow = (found: SessionState): void => (found.session === undefined ? end() : enter(found));
    onOtherTab(() => void session.find().then(follow, () => {}));
    session.find().then(enter, fail);
  }, []);
  if (error !== undefined) return <ErrorBox error={error} onRetry={() => location.reload()} hasHelp={false} />;
  if (state === undefined) return <Loading />;
  if (state.session === undefined) return <LogInPage {...state} hasEnded={hasEnded} onLogIn={enter} />;
  const logOut = async (): Promise<void> => {
    setState(await session.logOut().catch(() => withoutSession(state)));
  };
  return <Frame loggedIn={state.session} isDemo={state.oneClick} onLogOut={() => void logOut()} />;
}

function withoutSession(state: SessionState | undefined): SessionState {
  const { session: _, ...others } = state ?? { oneClick: false };
  return others;
}

interface FrameProps {
  readonly loggedIn: LoggedIn;
  readonly isDemo: boolean;
  readonly onLogOut: () => void;
}

function Frame({ loggedIn, isDemo, onLogOut }: FrameProps) {
  const { view: name } = useRoute();
  const view = name === '' ? views[0] : views.find((each) => each.name === name);
  const nav = useRef<HTMLElement>(null);
  const { credential, tenant, mayAct, boundTenant, gateway } = loggedIn;
  const search = useSearch(loggedIn);
  const isOffered = ({ name, isOfAll }: View) =>
    (isDemo || name !== 'testing') && (boundTenant === undefined || !isOfAll);
  useEffect(() => {
    // On a phone the navigation is wider than the page.
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (link) nav.current!.scrollLeft = link.offsetLeft - link.offsetWidth;
  }, [view]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <Link to="" class="brand">
          <Logo /> Triglyph
        </Link>
        {isDemo && <Badge tone="info">demo</Badge>}
        <span class="spacer" />
        <span class="who">
          {tenant} <Credential id={credential} />{' '}
          <Badge>
            {mayAct ? 'may act' : 'reads'}
            {boundTenant !== undefined && ` in ${boundTenant} only`}
          </Badge>
        </span>
        <Button kind="quiet" onClick={search.open}>
          Search <kbd>Ctrl K</kbd>
        </Button>
        <ThemeButton />
        <Button kind="quiet" onClick={onLogOut}>
          Log out
        </Button>
      </header>
      <nav aria-label="Views" ref={nav}>
        <ul>
          {views.filter(isOffered).map((each) => (
            <li key={each.name}>
              <Link to={`/${each.name}`} current={each === view}>
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                  <path d={each.icon} fill="currentColor" />
                </svg>
                {each.title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <main id="content" tabIndex={-1}>
        {view === undefined ? (
          <Unknown />
        ) : boundTenant !== undefined && view.isOfAll ? (
          <Page title={view.title}>
            <OfAllTenants />
          </Page>
        ) : (
          <Loaded key={view.name} view={view} mayAct={mayAct} boundTenant={boundTenant} gateway={gateway} />
        )}
      </main>
      {search.dialog}
    </div>
  );
}

function Unknown() {
  return (
    <Page title="Not found">
      <Empty title="The console has no such page." />
    </Page>
  );
}

/** Loads the code of a view when it is opened for the first time. */
function Loaded({ view, ...props }: ViewProps & { readonly view: View }) {
  const [content, setContent] = useState<{ readonly component: ComponentType<ViewProps> }>();
  const [error, setError] = useState<ApiError>();
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${view.title} · Triglyph console`;
    view.load().then(
      ({ default: component }) => setContent({ component }),
      () =>
        setError(
          new ApiError(0, 'The view could not be loaded. The gateway may have been updated: load the page again.'),
        ),
    );
  }, [view]);
  useEffect(() => {
    // Who has navigated by the keyboard goes on at the heading.
    if (content !== undefined && !isFirst.current) document.querySelector<HTMLElement>('main h1')?.focus();
    isFirst.current = false;
  }, [content]);
  if (error !== undefined) return <ErrorBox error={error} onRetry={() => location.reload()} />;
  return content === undefined ? <Loading /> : <content.component {...props} />;
}

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const themeKey = 'triglyph-console-theme';

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  useLayoutEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  const change = (): void => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    localStorage.setItem(themeKey, next);
    setTheme(next);
  };
  return (
    <Button kind="quiet" onClick={change} label={`Colours: ${theme}. Change them.`}>
      {{ system: '◐', light: '☀', dark: '☾' }[theme]}
    </Button>
  );
}

function readTheme(): Theme {
  const stored = localStorage.getItem(themeKey);
  return themes.find((each) => each === stored) ?? 'system';
}
