/** The port for a part of the internet that this machine serves itself, such as example domains. */
import type { LocalEndpoint } from './gateway/server.ts';
import type { Settings } from './settings.ts';

/** Starts it for the service with these settings and this environment, and keeps its data in the data folder. */
export type StartInternet = (service: {
  readonly settings: Settings;
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}) => Promise<LocalInternet>;

export interface LocalInternet {
  /** The settings with which handlers reach it, beside the rest of the internet. @throws ConfigError */
  environment(): Readonly<Record<string, string>>;
  /**
   * Endpoints that change it, by path. `hostUrl` is called for each request, because a service on any free port knows its
   * URL only after the start.
   */
  endpoints(hostUrl: () => string | undefined): Readonly<Record<string, LocalEndpoint>>;
  stop(): Promise<void>;
}
