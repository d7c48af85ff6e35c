/** What the host and its threads send each other. The bodies of requests move, everything else is copied on the way. */

import type { LogLineName } from '../../../../shared/runtime/logging/log-lines.ts';
import type { LineValues } from '../../../../shared/runtime/logging/metric.ts';
import type { LoopbackAnswer, LoopbackRequest } from '../../stores/loopback-server.ts';
import type { Invocation } from '../lambda-context.ts';

export interface ThreadData {
  /** The URL of the folder of the handlers. */
  readonly folder: string;
  /** Those of the embedded servers that the thread reaches through the host. */
  readonly endpoints: readonly string[];
}

/** A request to an embedded server. */
type ForwardedRequest = Omit<LoopbackRequest, 'signal' | 'body'> & {
  readonly body: ArrayBuffer | undefined;
};

export type ToThread =
  | {
      readonly kind: 'invoke';
      readonly id: number;
      /** The handler's file in the folder, without `.ts`. */
      readonly file: string;
      /** JSON. */
      readonly event: string;
      readonly invocation: Invocation;
    }
  /** Nobody waits for the result of this invocation any more. */
  | { readonly kind: 'abandon'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: LoopbackAnswer }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: string }
  /** Answered with `alive`. */
  | { readonly kind: 'ping' };

export type FromThread =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: string }
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly endpoint: string;
      readonly request: ForwardedRequest;
    }
  /** A line was logged. */
  | { readonly kind: 'line'; readonly name: LogLineName; readonly values: LineValues }
  | { readonly kind: 'alive' };
