# ruff: noqa: E501 -- an attack is one line
"""Programs that reach for the host. Each has `OUT` as its value where it got there."""

import os

SECRET = "secret-of-the-host"
BACKWARDS = SECRET[::-1]

FILES = {
    "a file of the host": "'OUT' if 'secret' in open({canary!r}).read() else 0",
    "the folder of the host": "'OUT' if os.listdir({folder!r}) else 0",
    "the root of the host": "'OUT' if {{'home', 'srv', 'var'}} & set(os.listdir('/')) else 0",
    "passwords": "'OUT' if open('/etc/shadow').read() else 0",
    "accounts": "'OUT' if 'root:' in open('/etc/passwd').read() else 0",
    "machine id": "'OUT' if open('/etc/machine-id').read() else 0",
    "memory of the machine": "'OUT' if open('/dev/mem', 'rb').read(1) else 0",
    "a disk": "'OUT' if [open('/dev/' + d, 'rb').read(1) for d in ('sda', 'vda', 'nvme0n1')] else 0",
    "symbols of the kernel": "'OUT' if open('/proc/kallsyms').read(10) else 0",
    "messages of the kernel": "'OUT' if open('/dev/kmsg').read(1) else 0",
    "a terminal": "'OUT' if open('/dev/tty') else 0",
    "a new terminal": "'OUT' if os.open('/dev/ptmx', os.O_RDWR) else 0",
    "writing into the library": "'OUT' if open(os.__file__, 'a') else 0",
    "a new module of the library": "'OUT' if open(os.path.dirname(os.__file__) + '/x.py', 'w') else 0",
    "writing where all may write": "'OUT' if open('/tmp/actum-left-behind', 'w') else 0",
    "writing into shared memory": "'OUT' if open('/dev/shm/../../var/tmp/x', 'w') else 0",
    "a link to a file": "os.symlink({canary!r}, 'l'); r = 'OUT' if 'secret' in open('l').read() else 0\nr",
    "a hard link to a file": "os.link({canary!r}, 'h'); r = 'OUT' if 'secret' in open('h').read() else 0\nr",
    "up and out": "r = 'OUT' if 'secret' in open('../' * 20 + {canary!r}[1:]).read() else 0\nr",
    "the root of another process": "r = 'OUT' if 'secret' in open('/proc/1/root' + {canary!r}).read() else 0\nr",
    "its own root": "r = 'OUT' if 'secret' in open('/proc/self/root' + {canary!r}).read() else 0\nr",
    "its own working folder": "r = 'OUT' if 'secret' in open('/proc/self/cwd/../../..' + {canary!r}).read() else 0\nr",
    "a descriptor left open": "r = 'OUT' if [n for n in range(5, 256) if alive(n)] else 0\nr",
    "sessions beside it": "r = 'OUT' if [n for n in os.listdir('..') if n.isdigit() or n[:6] == 'actum-' and n != 'actum-box'] else 0\nr",
    "the mode of a file of the host": "os.chmod({canary!r}, 0o777)\nr = 'OUT' if os.stat({canary!r}).st_mode & 0o2 else 0\nr",
    "the times of a file of the host": "os.utime({canary!r}, (1, 1))\nr = 'OUT' if os.stat({canary!r}).st_mtime == 1 else 0\nr",
    "deleting a file of the host": "os.unlink({canary!r})\n'OUT'",
    "renaming a file of the host": "os.rename({canary!r}, 'mine')\n'OUT'",
    "truncating a file of the host": "os.truncate({canary!r}, 0)\n'OUT'",
    "a device of its own": "os.mknod('disk', 0o60600, os.makedev(8, 0))\n'OUT'",
    "a changed root": "os.chroot('.')\n'OUT'",
}

ENVIRONMENT = {
    "variables": "r = 'OUT' if {backwards!r}[::-1] in repr(dict(os.environ)) else 0\nr",
    "variables as the kernel has them": "r = 'OUT' if {backwards!r}[::-1].encode() in open('/proc/self/environ', 'rb').read() else 0\nr",
    "arguments": "r = 'OUT' if {backwards!r}[::-1].encode() in open('/proc/self/cmdline', 'rb').read() else 0\nr",
    "variables of the host": "r = 'OUT' if open('/proc/{host}/environ', 'rb').read() else 0\nr",
    "its whole memory": "r = 'OUT' if in_memory({backwards!r}) else 0\nr",
}

NETWORK = {
    "a connection to this machine": "s = socket.socket(); s.settimeout(2); s.connect(('127.0.0.1', {port})); 'OUT'",
    "the same by IPv6": "s = socket.socket(socket.AF_INET6); s.settimeout(2); s.connect(('::1', {port})); 'OUT'",
    "a datagram": "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', {port})); 'OUT'",
    "a name of the network": "socket.getaddrinfo('localhost', 80) and socket.create_connection(('localhost', {port}), 2); 'OUT'",
    "the address of cloud secrets": "socket.create_connection(('169.254.169.254', 80), 1); 'OUT'",
    "an abstract socket": "s = socket.socket(socket.AF_UNIX); s.connect(chr(0) + {abstract!r}); 'OUT'",
    "a named socket": "s = socket.socket(socket.AF_UNIX); s.connect({named!r}); 'OUT'",
    "a connected pair sent on": "a, b = socket.socketpair(); a.connect(chr(0) + {abstract!r}); 'OUT'",
    "a listening socket": "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); 'OUT'",
    "the kernel's messages": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); 'OUT'",
    "raw packets": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0); 'OUT'",
    "the hypervisor": "socket.socket(40, socket.SOCK_STREAM); 'OUT'",
    "bluetooth": "socket.socket(31, socket.SOCK_RAW, 1); 'OUT'",
    "cryptography of the kernel": "socket.socket(38, socket.SOCK_SEQPACKET, 0); 'OUT'",
    "a request": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:{port}', timeout=2); 'OUT'",
    "an event loop's connection": "import asyncio; asyncio.run(asyncio.open_connection('127.0.0.1', {port})); 'OUT'",
}

PROCESSES = {
    "fork": "os.fork(); 'OUT'",
    "fork in C": "r = 'OUT' if libc.fork() >= 0 else 0\nr",
    "vfork in C": "r = 'OUT' if libc.syscall(58) >= 0 else 0\nr",
    "a command": "r = 'OUT' if os.system('true') == 0 else 0\nr",
    "subprocess": "import subprocess; subprocess.run(['/bin/true']); 'OUT'",
    "posix_spawn": "os.posix_spawn('/bin/true', ['true'], {{}}); 'OUT'",
    "multiprocessing": "import multiprocessing; p = multiprocessing.Process(target=print); p.start(); 'OUT'",
    "exec": "os.execv('/bin/true', ['true'])",
    "exec in C": "libc.execv(b'/bin/true', None); 0",
    "a signal to the host": "r = 'OUT' if libc.kill({host}, 0) == 0 else 0\nr",
    "a signal to everybody": "r = 'OUT' if {landlock} and libc.kill(-1, 0) == 0 else 0\nr",
    "a signal to its group": "r = 'OUT' if {landlock} and libc.kill(0, 0) == 0 else 0\nr",
    "a signal to a thread of the host": "r = 'OUT' if libc.syscall(234, {host}, {host}, 0) == 0 or libc.syscall(200, {host}, 0) == 0 else 0\nr",
    "a signal by way of a descriptor": "import fcntl; fcntl.fcntl(3, 8, {host}); 'OUT'",
    "the host's processors": "r = 'OUT' if libc.sched_setaffinity({host}, 8, ctypes.byref(ctypes.c_ulong(1))) == 0 else 0\nr",
    "whether the host lives": "r = 'OUT' if libc.getpgid({host}) > 0 or libc.getsid({host}) > 0 or libc.sched_getscheduler({host}) >= 0 else 0\nr",
    "the host's limits": "import resource; resource.prlimit({host}, resource.RLIMIT_NOFILE); 'OUT'",
    "the host's priority": "r = 'OUT' if libc.setpriority(0, {host}, 19) == 0 else 0\nr",
    "the host's command line": "r = 'OUT' if open('/proc/{host}/cmdline').read() else 0\nr",
    "the host's memory": "r = 'OUT' if open('/proc/{host}/mem', 'rb') else 0\nr",
    "the host's files": "r = 'OUT' if os.listdir('/proc/{host}/fd') else 0\nr",
    "tracing the host": "r = 'OUT' if libc.ptrace(0x4206, {host}, 0, 0) == 0 else 0\nr",
    "tracing its parent": "r = 'OUT' if libc.ptrace(16, libc.getppid(), 0, 0) == 0 else 0\nr",
    "another user": "r = 'OUT' if libc.setuid(0) == 0 and libc.getuid() == 0 and not {root} else 0\nr",
    "a group": "r = 'OUT' if libc.setgroups(0, None) == 0 else 0\nr",
    "outliving the host": "r = 'OUT' if libc.prctl(1, 0, 0, 0, 0) == 0 else 0\nr",
    "a namespace": "r = 'OUT' if libc.unshare(0x10000000) == 0 else 0\nr",
}

PREAMBLE = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def alive(n):
    try:
        os.fstat(n)
        return True
    except OSError:
        return False
def in_memory(backwards):
    wanted = bytes(reversed(backwards.encode()))
    found = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
        for line in maps:
            where, rights = line.split()[:2]
            if "r" in rights and "[v" not in line:
                start, end = (int(x, 16) for x in where.split("-"))
                try:
                    memory.seek(start)
                    found += memory.read(end - start).count(wanted)
                except (OSError, OverflowError, ValueError):
                    continue
    return found > 4
"""

X86_CALLS = """ptrace:101 process_vm_readv:310 process_vm_writev:311 bpf:321 io_uring_setup:425
    userfaultfd:323 keyctl:250 add_key:248 request_key:249 perf_event_open:298 memfd_create:319
    memfd_secret:447 unshare:272 setns:308 mount:165 umount2:166 pivot_root:155 chroot:161
    open_tree:428 move_mount:429 fsopen:430 fsmount:432 mount_setattr:442 open_tree_attr:467
    statmount:457 listmount:458 mknod:133 mknodat:259 init_module:175 finit_module:313
    delete_module:176 kexec_load:246 kexec_file_load:320 reboot:169 swapon:167 swapoff:168
    sethostname:170 setdomainname:171 settimeofday:164 clock_settime:227 adjtimex:159
    clock_adjtime:305 iopl:172 ioperm:173 modify_ldt:154 quotactl:179 acct:163 syslog:103
    personality:135 clone3:435 vfork:58 fork:57 pidfd_open:434 pidfd_send_signal:424
    pidfd_getfd:438 process_madvise:440 process_mrelease:448 name_to_handle_at:303
    open_by_handle_at:304 fanotify_init:300 fanotify_mark:301 inotify_init:253 inotify_init1:294
    mlock:149 mlock2:325 mlockall:151 shmget:29 shmat:30 msgget:68 semget:64 mq_open:240 socket:41
    connect:42 bind:49 listen:50 accept:43 accept4:288 vmsplice:278 splice:275 tee:276 sysfs:139
    ustat:136 kcmp:312 seccomp:317 landlock_create_ruleset:444 lsm_get_self_attr:459
    lsm_set_self_attr:460 map_shadow_stack:453 cachestat:451 rt_sigqueueinfo:129
    rt_tgsigqueueinfo:297 setuid:105 setgid:106 setreuid:113 setresuid:117 setresgid:119
    setgroups:116 setfsuid:122 setfsgid:123 setpriority:141 sched_setscheduler:144
    sched_setparam:142 sched_setattr:314 sched_getattr:315 ioprio_set:251 ioprio_get:252
    migrate_pages:256 move_pages:279 mbind:237 set_mempolicy:238 get_mempolicy:239
    lookup_dcookie:212 remap_file_pages:216 mincore:27 vhangup:153 nfsservctl:180 uselib:134
    pkey_alloc:330 pkey_mprotect:329 execveat:322 setsid:112 setpgid:109 preadv2:327 pwritev2:328
    futex_waitv:449 capset:126 io_setup:206 io_submit:209 timerfd_unknown:999 get_thread_area:211
    set_thread_area:205 arch_unknown:1000 getpmsg:181 epoll_ctl_old:214 tuxcall:184 security:185"""


def calls_of_this_machine() -> dict[str, int]:
    """Numbers of calls that no program needs. Known for one architecture."""
    if os.uname().machine != "x86_64":
        return {}
    return {name: int(number) for name, number in (c.split(":") for c in X86_CALLS.split())}


# Tries each with arguments that would be valid or harmless, and lists what was not refused.
TRY_CALLS = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
refusals = {{errno.EPERM, errno.ENOSYS, errno.EAGAIN}}
through = []
for name, number in {calls!r}.items():
    ctypes.set_errno(0)
    answer = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6)
    if answer >= 0 or ctypes.get_errno() not in refusals:
        through.append([name, answer, ctypes.get_errno()])
through
"""

# mov eax, 20 (getpid); int 0x80; ret: the 32-bit way into the kernel, past a filter by numbers.
THIRTY_TWO_BITS = """
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
"""
