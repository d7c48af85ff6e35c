/** The handlers of all functions, and their bundles. */
import { fallbackHandler, routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';

export interface Bundle {
  /** Contains the code, its source maps, and files that it loads when it needs them. */
  readonly folder: string;
  /** The export in it that Lambda calls, such as `index.handler`. */
  readonly handler: string;
  /** Patterns of files in the folder that are not part of it, beside source maps. */
  readonly exclude?: readonly string[];
  /** Size of what a cold start loads. */
  readonly bytes: number;
}

/** By handler name, such as `domains/list`. */
export type Bundles = ReadonlyMap<string, Bundle>;

/** A handler cannot be bundled; the message names it and gives the reason. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/** Handlers that only deployments need; their files are in `lib/cloud`. */
export const activationHandler = 'activation/handler';
export const watchHandler = 'activation/watch';
export const watchDomainsHandler = 'activation/watch-domains';
export const canaryHandler = 'canary/handler';
const deploymentHandlers: readonly string[] = [
  activationHandler,
  watchHandler,
  watchDomainsHandler,
  canaryHandler,
];

/** Every handler of the service and of its deployment. */
export const handlers: readonly string[] = [
  ...[...Object.values(routes), ...Object.values(triggers)].map((row) => row.handler),
  fallbackHandler,
  ...deploymentHandlers,
];

/** The source file of a handler, relative to the project root. */
export const sourceOf = (name: string): string =>
  `${deploymentHandlers.includes(name) ? 'lib/cloud' : 'functions'}/${name}.ts`;
