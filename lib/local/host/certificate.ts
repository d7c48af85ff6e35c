/** The certificate of this machine for STARTTLS and HTTPS, read again when its files change. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../../shared/runtime/config/config.ts';
import type { Log } from '../../../shared/runtime/logging/log.ts';

/** PEM: the chain from the server's own certificate on, and its key. */
interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** What a TLS server needs of it. */
export interface CertificateSource {
  current(): Pair;
  /** Calls `use` with each later pair. */
  onChange(use: (pair: Pair) => void): void;
}

export interface ServedCertificate extends CertificateSource {
  /** When it expires. */
  validTo(): Date;
  /** Why what is in the files is not served, or that what is served has expired. */
  problem(): string | undefined;
  stop(): void;
}

/** Options of every TLS server: RFC 8996 deprecates the versions before. */
export const TLS_OPTIONS = { minVersion: 'TLSv1.2' } as const;

/** ACME clients renew weeks before a certificate expires, so this may be slow. */
const LOOK_MILLISECONDS = 10_000;

/**
 * Reads the files, and then looks every few seconds whether they changed. A changed pair that cannot be served is logged once,
 * and the pair before it stays.
 * @throws ConfigError that says why the pair cannot be served.
 */
export function serveCertificate(
  files: CertificateFiles,
  log: Log,
  lookMilliseconds = LOOK_MILLISECONDS,
): ServedCertificate {
  let seen = read(files);
  let served = usable(seen, files);
  let unreadable: string | undefined;
  let refused: string | undefined;
  const uses: ((pair: Pair) => void)[] = [];
  const timer = setInterval(() => {
    let found: Pair;
    try {
      found = read(files);
      unreadable = undefined;
    } catch (error) {
      unreadable = noted(error, unreadable);
      return;
    }
    if (found.cert === seen.cert && found.key === seen.key) return;
    seen = found;
    try {
      served = usable(found, files);
      refused = undefined;
      for (const use of uses) use(served);
      log.info('the certificate was replaced', { validTo: validTo(served).toISOString() });
    } catch (error) {
      refused = noted(error, refused);
    }
  }, lookMilliseconds);

  /** The message of an error, which is logged if it is another one than before. */
  function noted(error: unknown, before: string | undefined): string {
    const { message } = error as Error;
    if (message !== before) log.error('the new certificate cannot be served', { problem: message });
    return message;
  }
  return {
    current: () => served,
    validTo: () => validTo(served),
    problem: () =>
      unreadable ??
      refused ??
      (validTo(served) < new Date()
        ? `the certificate expired on ${validTo(served).toISOString()}`
        : undefined),
    onChange: (use) => void uses.push(use),
    stop: () => clearInterval(timer),
  };
}

const read = ({ certFile, keyFile }: CertificateFiles): Pair => ({
  cert: readText('TLS_CERT_FILE', certFile),
  key: readText('TLS_KEY_FILE', keyFile),
});

function readText(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${setting} cannot be read: ${(error as Error).message}`);
  }
}

/** The pair, if a client could trust it now. @throws ConfigError */
function usable(pair: Pair, { certFile, keyFile }: CertificateFiles): Pair {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pair.cert);
  } catch {
    throw new ConfigError(`TLS_CERT_FILE ${certFile} contains no certificate (PEM)`);
  }
  try {
    if (!certificate.checkPrivateKey(createPrivateKey(pair.key))) throw new Error('another key');
    // Also reads the rest of the chain.
    createSecureContext({ ...pair, ...TLS_OPTIONS });
  } catch (error) {
    throw new ConfigError(
      `TLS_KEY_FILE ${keyFile} is not the key of the certificate in TLS_CERT_FILE ${certFile}: ${(error as Error).message}`,
    );
  }
  const { validFromDate, validToDate } = certificate;
  const now = new Date();
  if (validToDate < now)
    throw new ConfigError(`TLS_CERT_FILE ${certFile} expired on ${validToDate.toISOString()}`);
  if (validFromDate > now)
    throw new ConfigError(`TLS_CERT_FILE ${certFile} is not valid before ${validFromDate.toISOString()}`);
  return pair;
}

const validTo = ({ cert }: Pair): Date => new X509Certificate(cert).validToDate;
