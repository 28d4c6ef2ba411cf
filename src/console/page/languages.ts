/** The languages of programs, by the names of the service. */
import type { printTrafficRequest } from '../traffic/contract.ts';
import type { Question } from './api.ts';

type Language = Question<typeof printTrafficRequest>['language'];

export const languages: readonly { readonly value: Language; readonly text: string }[] = [
  { value: 'curl', text: 'curl' },
  { value: 'php', text: 'PHP' },
  { value: 'python', text: 'Python' },
  { value: 'java', text: 'Java' },
  { value: 'csharp', text: 'C#' },
  { value: 'ruby', text: 'Ruby' },
  { value: 'node', text: 'Node' },
];
