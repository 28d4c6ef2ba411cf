/** Light or dark: as the system says, or as chosen. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from './components/index.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const storageKey = 'triglyph-console-theme';

export function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  useLayoutEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  const change = (): void => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    localStorage.setItem(storageKey, next);
    setTheme(next);
  };
  return (
    <Button kind="quiet" onClick={change} label={`Colours: ${theme}. Change them.`}>
      {{ system: '◐', light: '☀', dark: '☾' }[theme]}
    </Button>
  );
}

function readTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((each) => each === stored) ?? 'system';
}
