# Converts documents for soffice.ts: starts LibreOffice, and stores what it is told as PDF. One line of JSON for each job.
import json
import os
import signal
import subprocess
import sys
import threading
import time

import uno
from com.sun.star.beans import PropertyValue

soffice, folder, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])


def end_all():
    # This process leads the group, and LibreOffice is in it.
    os.killpg(os.getpgid(0), signal.SIGKILL)


def properties(**values):
    return tuple(PropertyValue(Name=name, Value=value) for name, value in values.items())


def stand_back(nice):
    # Calls of the API on the same machine go first. Only after the first document, which takes as long as the start: at the end
    # of the queue a busy machine would need minutes for both. Linux may share the processors between sessions before it looks at
    # the processes, and this one leads a session of its own.
    try:
        os.setpriority(os.PRIO_PGRP, 0, nice)
        with open("/proc/self/autogroup", "w") as autogroup:
            autogroup.write(str(nice))
    except OSError:
        pass


def start():
    pipe = "bahi" + str(os.getpid())
    command = [
        soffice, "--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nolockcheck",
        "-env:UserInstallation=" + uno.systemPathToFileUrl(os.path.join(folder, "profile")),
        "--accept=pipe,name=" + pipe + ";urp;StarOffice.ComponentContext",
    ]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    while True:
        try:
            context = resolver.resolve("uno:pipe,name=" + pipe + ";urp;StarOffice.ComponentContext")
            return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        except Exception:
            if process.poll() is not None:
                raise RuntimeError("LibreOffice ended with exit code " + str(process.returncode))
            time.sleep(0.05)


def convert(desktop, document, pdf):
    # Templates are ours, but nothing that a document names may run or be fetched.
    load = properties(Hidden=True, ReadOnly=True, FilterName="OpenDocument Text Flat XML", MacroExecutionMode=0, UpdateDocMode=0)
    component = desktop.loadComponentFromURL(uno.systemPathToFileUrl(document), "_blank", 0, load)
    if component is None:
        raise RuntimeError("LibreOffice cannot read the document")
    try:
        data = uno.Any("[]com.sun.star.beans.PropertyValue", properties(**options))
        component.storeToURL(uno.systemPathToFileUrl(pdf), properties(FilterName="writer_pdf_Export", FilterData=data))
    finally:
        component.close(True)


def answer(**values):
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


jobs = []
arrived = threading.Semaphore(0)


def read_jobs():
    # A thread of its own, because a call of LibreOffice may never return: the end of the input is the end of the parent.
    for line in sys.stdin:
        jobs.append(json.loads(line))
        arrived.release()
    end_all()


threading.Thread(target=read_jobs, daemon=True).start()
try:
    desktop = start()
    answer(ready=True)
    first = True
    while True:
        arrived.acquire()
        job = jobs.pop(0)
        try:
            convert(desktop, job["document"], job["pdf"])
            if first:
                stand_back(int(sys.argv[4]))
                first = False
            answer(done=True)
        except Exception as error:
            answer(failed=str(error))
finally:
    end_all()
