/** The setting that names a relay. */

export interface Relay {
  readonly host: string;
  readonly port: number;
  /** TLS from the first octet, or STARTTLS. Without TLS, nothing is sent. */
  readonly security: 'tls' | 'starttls';
  readonly signIn: { readonly user: string; readonly password: string } | undefined;
}

const DEFAULT_PORTS = { tls: 465, starttls: 587 } as const;

/**
 * `smtps://user:password@relay.example.org:465` or `smtp://...:587`, with percent-encoding in user and password.
 * @throws an Error whose message completes "SMTP_RELAY ...", without the secret.
 */
export function parseRelay(text: string): Relay | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const security = url && ({ 'smtps:': 'tls', 'smtp:': 'starttls' } as const)[url.protocol];
  const isBare = url?.search === '' && url.hash === '' && ['', '/'].includes(url.pathname);
  if (url === undefined || security === undefined || url.hostname === '' || !isBare)
    throw new Error('must be a URL such as smtps://user:password@relay.example.org:465 or smtp://...:587');
  if ((url.username === '') !== (url.password === ''))
    throw new Error('must contain both a user and a password, or none of them');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORTS[security] : Number(url.port),
    security,
    signIn:
      url.username === '' ? undefined : { user: decoded(url.username), password: decoded(url.password) },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a user or password with a % that must be written as %25');
  }
}

/** `relay.example.org:465` */
export const relayAddress = ({ host, port }: Relay): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
