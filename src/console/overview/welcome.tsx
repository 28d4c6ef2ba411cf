/** What this is, for the first visit: three cards with one button each. They are hidden for good on request. */
import { useState } from 'preact/hooks';
import { Button, Section } from '../page/components/index.ts';
import { navigate } from '../page/routing.tsx';

const hiddenKey = 'triglyph-console-welcome';

const cards = [
  {
    title: 'One interface, many formats',
    text: 'Callers send SOAP, JSON or FORM, and get the same answer in their format. The explorer sends any request.',
    button: 'Try an operation',
    path: '/explorer',
  },
  {
    title: 'Each request, explained',
    text: 'The traffic shows what was received, what it means, what is wrong with it and where the time went.',
    button: 'Watch the traffic',
    path: '/traffic',
  },
  {
    title: 'The end of an old format',
    text: 'The gateway counts who still calls how. Announce an end, rehearse it, and refuse the calls after it.',
    button: 'See who calls',
    path: '/callers',
  },
] as const;

export function Welcome() {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) !== null);
  if (isHidden) return null;
  const hide = (): void => {
    localStorage.setItem(hiddenKey, 'hidden');
    setHidden(true);
  };
  return (
    <Section
      title="What this gateway does"
      actions={
        <Button kind="quiet" onClick={hide}>
          Hide
        </Button>
      }
    >
      <div class="cards welcome">
        {cards.map(({ title, text, button, path }) => (
          <section key={path}>
            <h3>{title}</h3>
            <p>{text}</p>
            <Button onClick={() => navigate(path)}>{button}</Button>
          </section>
        ))}
      </div>
    </Section>
  );
}
