/**
 * A finding is data: the rule, its severity and its arguments. Message, citation and fix come from the catalogue when a
 * response or a page is written, so their wording can change freely. Two findings are the same if they have the same
 * `id` and `subject`.
 */

import * as z from 'zod/mini';
import { isWithin } from '../domain-name.ts';
import { described, list, text } from '../schema.ts';
import { dayInWords } from '../time.ts';

const argument = z.union([text, z.number(), z.boolean(), list(text)]);

export const severity = described(
  z.enum(['error', 'warning', 'notice']),
  '`error`: violates a requirement. `warning`: violates a recommendation or is harmful. `notice`: advice',
);

/** `error`: violates a MUST. `warning`: violates a SHOULD, or is known to cause harm. `notice`: advice. */
export type Severity = z.infer<typeof severity>;

/** A finding without its arguments. `id` and `subject` identify it. */
export const problem = z.object({
  id: described(text, 'Stable ID of the rule', 'dmarc-policy-none'),
  subject: described(
    z.exactOptional(text),
    'What the finding is about, such as a record, a host, or a selector',
  ),
  severity,
});

/** The text of a finding for people. */
const findingText = {
  message: described(text, 'What is wrong, in one sentence', 'The DMARC policy is none.'),
  cites: described(text, 'The document and section that the rule is based on', 'RFC 9989 section 4.7'),
  fix: described(text, 'How to fix it', 'Publish a policy that receivers enforce.'),
};

export const findingArguments = z.record(text, argument);

const identified = {
  ...problem.shape,
  arguments: described(findingArguments, 'The values in the message, by name', { policy: 'none' }),
};

/** A finding as stored. */
export const finding = z.object(identified);

export type Finding = z.infer<typeof finding>;

/** A finding with its text. */
export const describedFinding = z.object({ ...identified, ...findingText });

export type DescribedFinding = z.infer<typeof describedFinding>;

type Argument = z.infer<typeof argument>;

/** What a finding is about, beyond its id: a selector, an MX host, a tag. */
export type Arguments = Finding['arguments'];

/** Requires a name for each argument: with an index signature, a call that lacks an argument would compile. */
type NamedArguments<A> = { readonly [Name in keyof A]: string extends Name ? never : Argument };

/** Whose findings are described, so that a fix can name records ready to publish. */
export interface FindingAudience {
  readonly domain: string;
  /** The email address at which this service receives reports for the domain, if it does. */
  readonly mailbox?: string | undefined;
}

/** A rule of the catalogue. */
export interface Rule<A = Arguments> {
  readonly severity: Severity;
  /** The message shown to people. */
  readonly says: (args: A) => string;
  /** Document and section, such as `RFC 7208 section 4.5`. */
  readonly cites: string;
  /** What the owner of the domain can do about it, in the imperative. */
  readonly fix: string | ((args: A, owner: FindingAudience) => string);
  /** The argument that distinguishes two findings of the same rule (a host, a selector, a tag). */
  readonly subject?: keyof A & string;
  /**
   * The rule reports a failed lookup, fetch or connection, not a property of the domain. `check`: the state of the check
   * is then `unknown`, unless another finding is an error. `part`: the other findings determine the state.
   */
  readonly failedLookup?: 'check' | 'part';
  /** A notice about something that becomes an error by itself, such as the end of a certificate: its appearance is a change. */
  readonly raisesAlert?: true;
  /** What an alert says when the finding ends, if its message would not say why. @param added The records that came with that. */
  readonly ended?: (args: A, added: readonly string[]) => string;
  /** Somebody else can take over what the domain relies on: this needs a person at once, whatever the state of the check. */
  readonly takeover?: true;
  /** The state of the check that has this finding, if its severity does not determine it. */
  readonly state?: 'absent' | 'not-applicable' | 'fail';
}

/** The end of a certificate, and what is left of it in days. */
export interface ExpiryArguments {
  readonly date: string;
  readonly left: number;
  readonly of: number;
}

/** `expires on 5 Jun 2026: 4 of its 90 days are left` */
export const expires = ({ date, left, of }: ExpiryArguments): string =>
  `expires on ${dayInWords(date)}: ${left} of its ${of} days are left`;

/** The fix for a failed lookup of a record of the domain. */
export const retryLookup = "Try again. If it keeps failing, check the domain's authoritative name servers.";

/** Whether a name is the domain of the owner, or above or below it. Without the public suffix list, which is large. */
export const isOfOwner = (name: string, { domain }: FindingAudience): boolean =>
  isWithin(name, domain) || isWithin(domain, name);

/** Warns that others could register a name without records, as the end of a fix. Nobody can register one of the owner's. */
export function ifRegistered(name: string, owner: FindingAudience, risk: string): string {
  if (isOfOwner(name, owner)) return '';
  return ` If nobody owns ${name}, anyone who registers it can ${risk} as your domain.`;
}

/**
 * Keeps the argument type of a rule inside a table of rules. Without a type argument, the rule has no arguments:
 * `NoInfer` prevents that the compiler infers `any` from the type of the table.
 */
export function rule<A extends NamedArguments<A> = Record<string, never>>(
  entry: Rule<NoInfer<A>>,
): Rule<NoInfer<A>> {
  return entry;
}

// biome-ignore lint/suspicious/noExplicitAny: a table contains rules with different argument types
export type Rules = Readonly<Record<string, Rule<any>>>;

/** The arguments of a rule. For a union of rules, those of all of them. */
type ArgumentsOf<R extends Rules[string]> = R['says'] extends (args: infer A) => string ? A : never;

/** Rejects arguments that the rule does not have, also where a spread hides them from the compiler. */
type Exactly<Given, A> = Given & { readonly [Name in Exclude<keyof Given, keyof A>]: never };

/**
 * Creates the function that raises the findings of one table of rules:
 * `const raise = raiser(spfRules); raise('spf-multiple-records', { count: 2 })`.
 */
export function raiser<R extends Rules>(rules: R) {
  return <Id extends keyof R & string, Given extends ArgumentsOf<R[Id]>>(
    id: Id,
    ...rest: ArgumentsOf<R[Id]> extends Record<string, never>
      ? []
      : [args: Exactly<Given, ArgumentsOf<R[Id]>>]
  ): Finding => {
    const entry = rules[id] as Rule;
    const args = (rest[0] ?? {}) as Arguments;
    const subject = entry.subject === undefined ? undefined : String(args[entry.subject]);
    return {
      id,
      severity: entry.severity,
      ...(subject === undefined ? {} : { subject }),
      arguments: args,
    };
  };
}

/** The message of a finding. For a rule that this version does not have, the message says so. */
export const messageOf = (found: Finding, rules: Rules): string =>
  (rules[found.id] ?? unknownRule(found.id)).says(found.arguments);

/** How a finding ended: what its rule says about that, or its message. @param added The records that came with that. */
export const endOf = (found: Finding, rules: Rules, added: readonly string[]): string =>
  rules[found.id]?.ended?.(found.arguments, added) ?? messageOf(found, rules);

/** Adds the text of a finding of `owner`. */
export function describe(found: Finding, rules: Rules, owner: FindingAudience): DescribedFinding {
  const { cites, fix } = rules[found.id] ?? unknownRule(found.id);
  return {
    ...found,
    message: messageOf(found, rules),
    cites,
    fix: typeof fix === 'string' ? fix : fix(found.arguments, owner),
  };
}

const unknownRule = (id: string): Rule => ({
  severity: 'notice',
  says: () => `This version of the service does not know the rule ${id}.`,
  cites: '',
  fix: 'Run the check again.',
});

/** The messages of the findings of one severity, for the `errors` and `warnings` of a response. */
export function messages(findings: readonly DescribedFinding[], severity: Severity): readonly string[] {
  return findings.filter((found) => found.severity === severity).map(({ message }) => message);
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}

/** Whether two findings are about the same problem. */
export function isSame(a: Pick<Finding, 'id' | 'subject'>, b: Pick<Finding, 'id' | 'subject'>): boolean {
  return a.id === b.id && a.subject === b.subject;
}
