#!/bin/sh
# Has one of CLBlast's tuners try some of the parameters that it knows for a kernel, each once, on little data. One argument: the kernel.
fraction=16
case $1 in
    xaxpy) size="-n 65536" ;;
    # It knows few parameters.
    xdot) size="-n 65536" fraction=1 ;;
    # Its kernels without bounds take up to 1024 rows a work-group, and the tuner does not leave out those that are too large.
    xgemv) size="-m 1024 -n 1024" fraction=4 ;;
    # It inverts blocks of 16.
    invert) size="-m 256 -n 256 -k 16" fraction=1 ;;
    *) size="-m 256 -n 256 -k 256" ;;
esac
# Line by line, so that nothing is lost of what is ended.
exec stdbuf -oL "clblast_tuner_$1" $size -runs 1 -fraction "$fraction"
