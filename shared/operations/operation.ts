/**
 * What describes an operation to all its callers: endpoints of the API, forms of the console, commands of the operator. The
 * file of an operation exports its row, and the function that performs it for a caller. Routes get the scope, the errors,
 * the name in the audit log and the permissions from the row.
 */
import type * as z from 'zod/mini';
import type { Scope } from '../protocol/scope.ts';
import type { TokenInfo } from '../store/api-tokens.ts';
import type { Capability } from './capability.ts';
import type { RefusalCode } from './outcome.ts';

export interface Operation {
  /** In the audit log; most endpoints have it as their operationId. */
  readonly name: string;
  readonly summary: string;
  /** What callers need to know beyond the summary; sentences in Markdown. */
  readonly description?: string;
  /** The scope that a token needs at least; `operator`: only the operator of the service may. */
  readonly scope: Scope | 'operator';
  /** The IDs of what it is about. */
  readonly on?: z.ZodMiniType;
  readonly input?: z.ZodMiniType;
  readonly refusals: readonly RefusalCode[];
  /** What it needs access to, besides tokens and the rate limit of the caller. */
  readonly uses: readonly Capability[];
}

/** An operation that organizations perform, too. */
export type OpenOperation = Operation & { readonly scope: Scope };

/** What an operation gets: the IDs of what it is about, and its input. */
export type InputOf<O extends Operation> = Given<O['on']> & Given<O['input']>;

type Given<S> = S extends z.ZodMiniType ? z.output<S> : unknown;

/** A queue, as what sends its messages sees it. */
export interface MessageSender<Message extends object> {
  readonly send: (message: Message) => Promise<void>;
}

/** Who asks. */
export interface Caller {
  readonly organization: string;
  /** The token of the request or session; null for the operator of the service. */
  readonly token: TokenInfo | null;
  /** Whether the caller knows this version of what it changes, or changes any version. */
  readonly isCurrent: (version: string) => boolean;
}

/** What the operator does for an organization. */
export const operatorFor = (organization: string): Caller => ({
  organization,
  token: null,
  isCurrent: () => true,
});

/** Who did something, in what is stored: the id of the token; null for the operator. */
export const idOf = ({ token }: Caller): string | null => token?.id ?? null;
