/** How a client of the SDK reaches an endpoint that takes any credentials. */
export const anyone = (endpoint: string, more: { readonly sessionToken?: string } = {}) => ({
  ...{ endpoint, region: 'us-east-1', maxAttempts: 1, forcePathStyle: true },
  credentials: { accessKeyId: 'local', secretAccessKey: 'local', ...more },
});
