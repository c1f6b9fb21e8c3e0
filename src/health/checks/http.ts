import { connect } from 'node:net';
import { endpoint } from '../../model/address.ts';
import type { CheckType } from '../../model/check-type.ts';
import { exchange } from '../http-exchange.ts';
import { type HttpOptions, httpOptions } from '../http-options.ts';

/** `http`: passes when the response has the wanted status, and body if one is given. */
export const http: CheckType<HttpOptions> = {
  name: 'http',
  options: httpOptions,
  async probe(target, options, context) {
    const { request } = await import('node:http');
    const { address, port } = target;
    return exchange(options, context, {
      request,
      host: options.host ?? (port === 80 ? endpoint(address, port).slice(0, -3) : endpoint(address, port)),
      connect: ({ waitFor }) =>
        connect({ host: address, port }, () => {
          waitFor('response');
        }),
    });
  },
};
