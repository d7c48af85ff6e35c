/** A text that others wrote, without secrets that it can repeat: as they are, in a URL or form, or in base64. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ secret }).toString().slice('secret='.length),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
    ])
    .filter((secret) => secret !== '')
    .reduce((said, secret) => said.replaceAll(secret, '***'), text);
