/** How fields of forms are read, and what is wrong with them, for people. */
import type { ServiceError } from '../../shared/runtime/http/errors.ts';

/**
 * The first problem as a sentence.
 * @param names What the form calls its fields, by the last part of their path that has a name.
 */
export function problemOf(
  { message, details }: ServiceError,
  names: Readonly<Record<string, string>>,
): string {
  const [first] = details ?? [];
  if (first === undefined) return message;
  const field = first.path.split('.').findLast((part) => Object.hasOwn(names, part)) ?? '';
  return `${names[field] ?? 'The form'} ${first.message.replace(/^it /, '')}.`;
}

/** The parts of a text that are not empty. */
export function separated(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
