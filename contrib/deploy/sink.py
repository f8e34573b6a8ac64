#!/usr/bin/env python3
"""Reads all that comes to port 5000, and closes each connection at its end: the other side of users.py."""
import socket
import threading

server = socket.create_server(("", 5000), backlog=512)


def read(connection):
    try:
        while connection.recv(1 << 18):
            pass
    except OSError:
        pass
    connection.close()


while True:
    threading.Thread(target=read, args=(server.accept()[0],), daemon=True).start()
