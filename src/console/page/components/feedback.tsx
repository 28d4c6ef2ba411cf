/** What a view says about itself: that it loads, that it failed, that there is nothing. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api.ts';
import { Link } from '../routing.tsx';
import type { Action } from '../use-action.ts';
import type { Query } from '../use-query.ts';
import { Button } from './button.tsx';
import { Text } from './text.tsx';

interface ErrorBoxProps {
  readonly error: ApiError | undefined;
  readonly onRetry?: () => void;
  /** False where the documentation is not in reach. */
  readonly hasHelp?: boolean;
}

export function ErrorBox({ error, onRetry, hasHelp = true }: ErrorBoxProps) {
  if (error === undefined) return null;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{error.status === 0 ? 'No answer' : `Refused (${error.status})`}</strong> <Text value={error.message} />
      </p>
      {error.invalidFields.length > 0 && (
        <ul>
          {error.invalidFields.map(({ name, message }) => (
            <li key={name}>
              <code>
                <Text value={name} />
              </code>
              : <Text value={message} />
            </li>
          ))}
        </ul>
      )}
      {error.requestId !== undefined && <p class="hint">Request {error.requestId}</p>}
      {hasHelp && (
        <p>
          <Link to="/docs/troubleshooting">What to do about errors</Link>
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

export function Notice({
  tone = 'info',
  children,
}: {
  readonly tone?: 'info' | 'good' | 'warning';
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`notice ${tone}`} role="status">
      {children}
    </div>
  );
}

export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  return (
    <p class="loading" role="status">
      {what}…
    </p>
  );
}

/** What a query has loaded, below why the last load failed. */
export function Loaded<T>({
  query: { value, error, reload },
  children,
}: {
  readonly query: Query<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  return (
    <>
      <ErrorBox error={error} onRetry={reload} />
      {value === undefined ? error === undefined && <Loading /> : children(value)}
    </>
  );
}

/** Why an action was refused, or what it has done. */
export function Outcome({ action: { error, done } }: { readonly action: Action }) {
  if (error !== undefined) return <ErrorBox error={error} />;
  return done === undefined ? null : <Notice tone="good">{done}</Notice>;
}

/** Instead of a view that cannot be bound to the tenant of a person. */
export function OfAllTenants() {
  return <Empty title="This is about all tenants, so it is for people who operate the gateway." />;
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
