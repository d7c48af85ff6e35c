/** The body of a request; small pages need nothing else of other requests. */
import * as z from 'zod/mini';

export const jsonObject = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object(shape, 'must be a JSON object');
