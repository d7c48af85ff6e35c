/** The headers that CloudFront adds, if requests have to pass it. */

/** The secret that shows that a request passed CloudFront. */
export const ORIGIN_HEADER = 'x-origin-secret';

/** The address of the client, which CloudFront sets in every request, whatever the client sent. */
export const VIEWER_HEADER = 'x-viewer-address';
