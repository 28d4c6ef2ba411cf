/** The components of all views. */
export { Button, CopyButton } from './button.tsx';
export { Chart, type Series, Sparkline } from './chart.tsx';
export type { Mark } from './code-area.ts';
export { Code, CodeEditor } from './code-editor.tsx';
export { Actor, Credential, useCredentialColumn } from './credential.tsx';
export { Confirm, Dialog } from './dialog.tsx';
export { Empty, ErrorBox, Loaded, Loading, Notice, OfAllTenants, Outcome } from './feedback.tsx';
export { CheckField, Filters, Form, ManyField, SelectField, TextField, useTexts } from './field.tsx';
export { Facts, Page, Section, type ViewProps } from './page.tsx';
export { type Column, LoadedTable, Table } from './table.tsx';
export { Tabs } from './tabs.tsx';
export { Badge, Preformatted, Text, type Tone } from './text.tsx';
export { formatMs, Time } from './time.tsx';
