"""An OpenStack Swift that speaks S3, in one process on loopback: account, container, object and proxy server.

Called with a folder of its own, and for TLS with the files of a certificate and its key. Prints the port it listens
on, and ends when its standard input does.
"""
import eventlet

eventlet.monkey_patch(os=False)

import logging
import os
import sys

from eventlet import wsgi
from swift.common.ring import RingBuilder
from swift.common.wsgi import loadapp

ROOT = sys.argv[1]

SWIFT = """
[swift-hash]
swift_hash_path_suffix = test
[storage-policy:0]
name = only
default = yes
"""

SERVER = """
[DEFAULT]
swift_dir = {root}
devices = {root}/devices
mount_check = false
log_level = CRITICAL
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
# Nothing waits for a disk that is gone after the test.
fallocate_reserve = 0
"""

# In this order: signatures are checked by tempauth for s3api, and copies and large objects come after who asks is known.
PROXY = """
[DEFAULT]
swift_dir = {root}
log_level = CRITICAL
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats bulk s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
node_timeout = 60
recoverable_node_timeout = 60
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
dns_compliant_bucket_names = true
# Small pages, so that tests meet more than one.
max_bucket_listing = 30
min_segment_size = 5242880
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


class Cache:
    """What memcached would keep."""

    def __init__(self):
        self.kept = {}

    def get(self, key, raise_on_error=False):
        return self.kept.get(key)

    def set(self, key, value, *_, **__):
        self.kept[key] = value

    def delete(self, key, *_, **__):
        self.kept.pop(key, None)

    def incr(self, key, delta=1, *_, **__):
        self.kept[key] = int(self.kept.get(key, 0)) + delta
        return self.kept[key]


def with_cache(app):
    cache = Cache()

    def call(env, start_response):
        env['swift.cache'] = cache
        return app(env, start_response)

    return call


def write(name, text, **values):
    path = os.path.join(ROOT, name)
    with open(path, 'w') as file:
        file.write(text.format(root=ROOT, **values))
    return path


def serve(socket, app):
    eventlet.spawn(wsgi.server, socket, app, log=logging.getLogger('quiet'), log_output=False,
                   max_size=1024, minimum_chunk_size=4096)


def main():
    os.makedirs(os.path.join(ROOT, 'devices', 'd1'), exist_ok=True)
    write('swift.conf', SWIFT)
    logging.disable(logging.CRITICAL)
    sockets = {}
    for kind, ring in (('account', 'account'), ('container', 'container'), ('object', 'object')):
        sockets[kind] = eventlet.listen(('127.0.0.1', 0), backlog=512)
        builder = RingBuilder(2, 1, 0)
        builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': sockets[kind].getsockname()[1],
                         'device': 'd1', 'weight': 1.0, 'meta': '', 'replication_ip': '127.0.0.1',
                         'replication_port': sockets[kind].getsockname()[1]})
        builder.rebalance()
        builder.get_ring().save(os.path.join(ROOT, ring + '.ring.gz'))
    for kind, socket in sockets.items():
        serve(socket, loadapp(write(kind + '.conf', SERVER, kind=kind), allow_modify_pipeline=False))
    proxy = eventlet.listen(('127.0.0.1', 0), backlog=512)
    port = proxy.getsockname()[1]
    if len(sys.argv) > 2:
        proxy = eventlet.wrap_ssl(proxy, certfile=sys.argv[2], keyfile=sys.argv[3], server_side=True)
    serve(proxy, with_cache(loadapp(write('proxy.conf', PROXY), allow_modify_pipeline=False)))
    print(port, flush=True)
    while eventlet.tpool.execute(sys.stdin.readline):
        pass


main()
