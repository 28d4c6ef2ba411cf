/** What a view says about itself: that it loads, that it failed, that there is nothing. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api.ts';
import { Button } from './button.tsx';
import { Text } from './text.tsx';

export function ErrorBox({ error, onRetry }: { readonly error: ApiError | undefined; readonly onRetry?: () => void }) {
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

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
